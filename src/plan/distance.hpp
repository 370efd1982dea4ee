// Mapping by distance: ranks fill the NUMA nodes of their host from the nearest to a device on.
#pragma once

#include <string>

#include "plan/dealing.hpp"
#include "plan/hardware.hpp"

namespace muster::plan {

// "eth0, mlx5_0": what ranks can be placed near; accelerators are none.
[[nodiscard]] std::string network_devices(const model::Topology& topology);

// Gives assignments that were dealt to hosts their object of Level::numa: each takes as many ranks
// as it has cpus, or as fit with PE=n, and behind the farthest one it begins anew
// (orte/mca/rmaps/mindist/rmaps_mindist_module.c). As near as the kernel's table of distances says;
// where there is none, the nodes near the device come first. A host with one node needs no device.
//
// Fault::usage where another host lacks the device, or does not tell where it is; "auto" is the
// only InfiniBand device of the host.
[[nodiscard]] base::Result<void> fill_by_distance(const model::Mapping& mapping,
                                                  const model::Inventory& inventory,
                                                  HardwareOfHosts& hardware,
                                                  std::vector<Assignment>& assignments);

}  // namespace muster::plan
