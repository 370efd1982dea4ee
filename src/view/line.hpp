// A line of output as it is shown: with a prefix, or as an element of Open MPI's XML. Pure.
#pragma once

#include <string>
#include <string_view>

#include "model/output_spec.hpp"
#include "view/pattern.hpp"

namespace muster::view {

// What stands before the text of a line.
void open_line(std::string& out, const model::OutputSpec& style, const Speaker& speaker,
               model::Stream stream, const WallTime& time);
// Text of a line, its newline included.
void append_text(std::string& out, const model::OutputSpec& style, std::string_view text);
// What stands after it; XML writes the line's own newline as text.
void close_line(std::string& out, const model::OutputSpec& style, model::Stream stream);

}  // namespace muster::view
