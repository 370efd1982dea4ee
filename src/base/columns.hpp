// Text in the columns of a terminal: how many it takes, and how it is made to fit. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::base {

// Of one line: wide characters take two, combining ones none.
[[nodiscard]] std::size_t columns_of(std::string_view text);

// The text, or its beginning and "..." where it takes more than `most` columns.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most);

// The text with blanks behind it, or before it.
[[nodiscard]] std::string padded(std::string_view text, std::size_t columns);
[[nodiscard]] std::string padded_before(std::string_view text, std::size_t columns);

// Words that begin in column `indent`, broken between them so that lines take at most `width`
// columns; later lines are indented as well. A longer word stays whole, so that it can be copied.
// `width` 0: one line.
[[nodiscard]] std::string folded(std::string_view words, std::size_t indent, std::size_t width);

// A column of a table that may be narrower than what it holds.
struct Yield {
  std::size_t column;
  std::size_t least;     // 0: the column goes, with the gap behind it
  bool at_once = false;  // it is this narrow, or as wide as before: nothing between makes sense
};

// Widths of columns, `gap` blanks apart, for a line of at most `width` columns. They shrink in the
// order of `yields`; what is left over in the end goes to those that were shrunk last.
[[nodiscard]] std::vector<std::size_t> fitted(const std::vector<std::size_t>& wanted,
                                              std::size_t gap, std::size_t width,
                                              std::span<const Yield> yields);

}  // namespace muster::base
