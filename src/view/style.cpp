// The order in which the signs are asked.
#include "view/style.hpp"

namespace muster::view {

Style style(const ColourSigns& signs, bool is_terminal) {
  if (signs.muster == "always") return {true};
  if (signs.muster == "never") return {false};
  if (!signs.no_color.empty()) return {false};
  if (!signs.force.empty() && signs.force != "0") return {true};
  return {is_terminal && signs.terminal != "dumb"};
}

}  // namespace muster::view
