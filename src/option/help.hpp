// help_text: what --help prints, for a terminal of any width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "option/option.hpp"

namespace muster::option {

// The head, the table of options and the tail, in lines of at most `width` columns. The table has a
// head line for each group, in the order in which groups first appear.
[[nodiscard]] std::string help_text(std::string_view head, const OptionTexts& options,
                                    std::string_view tail, std::size_t width);

// Prose, examples and small tables. A line with four blanks before it is a command: it is broken so
// that a shell reads all of it. Other indented lines stay as they are; the rest is refilled where a
// line was broken only because it was full.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

}  // namespace muster::option
