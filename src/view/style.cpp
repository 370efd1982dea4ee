// The order in which the signs are asked.
#include "view/style.hpp"

namespace muster::view {

Style style(const ColourSigns& signs, bool is_terminal) {
  if (signs.muster == "always") return {.colour = true};
  if (signs.muster == "never") return {.colour = false};
  if (!signs.no_color.empty()) return {.colour = false};
  if (!signs.force.empty() && signs.force != "0") return {.colour = true};
  return {.colour = is_terminal && signs.terminal != "dumb"};
}

}  // namespace muster::view
