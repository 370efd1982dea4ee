// What a rank does to join the others of its job, in words. Pure.
#pragma once

#include <string_view>

#include "model/joining.hpp"

namespace muster::view {

// "called MPI_Init": what a rank has done, or not.
[[nodiscard]] std::string_view joined_words(model::Joining joining);

}  // namespace muster::view
