// Text that can be written anywhere, out of any bytes.
#pragma once

#include <string>
#include <string_view>

namespace muster::view {

// The text itself when it is UTF-8; else with each byte that is not written as \xNN.
[[nodiscard]] std::string utf8(std::string_view text);

// The same, with control bytes written as \n, \t or \xNN too: always one line, never a command to a
// terminal.
[[nodiscard]] std::string one_line(std::string_view text);

// The same, of at most kMessageMax columns, the last of which are "..." where there were more: for
// a message, into which a rank or a host may have put a name of any length.
[[nodiscard]] std::string message_line(std::string_view text);
inline constexpr std::size_t kMessageMax = 5000;  // a path of PATH_MAX, and what is said of it

}  // namespace muster::view
