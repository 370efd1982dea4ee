// The words for levels of hardware.
#include "model/topology.hpp"

namespace muster::model {

std::string_view name_of(Level level) {
  constexpr std::array<std::string_view, kLevels> kNames = {
      "hwthread", "core", "l1cache", "l2cache", "l3cache", "numa", "package", "machine"};
  return kNames[static_cast<std::size_t>(level)];
}

}  // namespace muster::model
