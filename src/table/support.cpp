// Says what muster does about a name.
#include "table/support.hpp"

namespace muster::table {

std::string told(std::string_view name, const Support& support) {
  const std::string_view between = support.refused() ? ": " : " has no effect here: ";
  return std::string(name).append(between).append(support.why);
}

}  // namespace muster::table
