// What the helper program can be asked: see process/helper_program.hpp.
#pragma once

#include <span>
#include <string>

#include "base/error.hpp"

namespace muster::helper {

// "topology": this machine's, as model::encode writes it. "addresses NAME": one on each line.
[[nodiscard]] base::Result<std::string> answer(std::span<const std::string> words);

}  // namespace muster::helper
