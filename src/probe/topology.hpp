// The hardware of this machine, as the helper program reads it with hwloc.
#pragma once

#include "base/error.hpp"
#include "model/topology.hpp"

namespace muster::probe {

// What this process may use: cgroup and affinity are respected. Costs some milliseconds, since
// hwloc is loaded and looks at all of sysfs. Fault::cannot_start without hwloc, with the name of
// the package.
[[nodiscard]] base::Result<model::Topology> read_topology();

}  // namespace muster::probe
