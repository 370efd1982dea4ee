// drawn_over: a list that takes the place of the one before it on a terminal. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::view {

inline constexpr std::string_view kClear = "\x1b[H\x1b[2J";  // the first one, on an empty screen
inline constexpr std::string_view kHome = "\x1b[H";          // the others, which do not flicker

// The lines, each of which clears what stood there. Of more than `height` lines, one of which is
// left for the cursor, the head line and the last ones.
[[nodiscard]] std::string drawn_over(std::string_view lines, std::size_t height);

}  // namespace muster::view
