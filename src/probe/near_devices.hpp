// Devices of this machine, and the cpus that they are near to.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/topology.hpp"

namespace muster::probe {

// The accelerators that `devices()` finds, then network and InfiniBand devices by name; the first
// kNearDevicesMax of them. Their cpus and distances are those of `topology`, this machine's, and
// none where the kernel does not know where a device is: where one NUMA node has all cpus it is
// near to all of them. Reads /sys, /proc and /dev below `root` ("" is this machine); `listing` is
// as in DeviceNames.
[[nodiscard]] std::vector<model::NearDevice> near_devices(std::span<const std::string> environment,
                                                          const model::Topology& topology,
                                                          const std::string& root = "",
                                                          const std::string& listing = {});

}  // namespace muster::probe
