// Style: how what a person reads looks. Whether it is coloured is decided here for all that muster
// prints.
#pragma once

#include <cstddef>
#include <string>

namespace muster::view {

struct Style {
  bool colour = false;    // ANSI colours
  std::size_t width = 0;  // columns of the terminal; 0: it is not one, and nothing has to fit
};

// What decides it besides the stream; each is empty where nobody has said anything.
struct ColourSigns {
  std::string muster = {};    // MUSTER_COLOR, or --color, which sets it: auto, always or never
  std::string no_color = {};  // NO_COLOR, https://no-color.org
  std::string force = {};     // CLICOLOR_FORCE, https://bixense.com/clicolors; "0" says nothing
  std::string terminal = {};  // TERM
};

// The first that speaks counts: `muster`, `no_color`, `force`; then only terminals have colours,
// but for a "dumb" one. Pure.
[[nodiscard]] Style style(const ColourSigns& signs, bool is_terminal);

}  // namespace muster::view
