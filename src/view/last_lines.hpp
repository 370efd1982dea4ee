// last_lines: the end of a text, by lines. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster::view {

// The last `count` lines; a last one without its newline is one, too.
[[nodiscard]] std::string_view last_lines(std::string_view text, std::size_t count);

// The first `count` lines.
[[nodiscard]] std::string_view first_lines(std::string_view text, std::size_t count);

}  // namespace muster::view
