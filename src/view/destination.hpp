// Where a stream of a rank goes. Pure.
#pragma once

#include <string>

#include "model/output_spec.hpp"
#include "view/pattern.hpp"

namespace muster::view {

[[nodiscard]] const model::Route& route_of(const model::OutputSpec& output, const Speaker& speaker,
                                           model::Stream stream);

// Which of our own streams shows it, if it is to be shown.
[[nodiscard]] model::Stream shown_on(const model::OutputSpec& output, model::Stream stream);

// The path of the file that keeps it; empty: none. Streams with the same path share the file.
[[nodiscard]] std::string file_of(const model::OutputSpec& output, const Speaker& speaker,
                                  model::Stream stream);

}  // namespace muster::view
