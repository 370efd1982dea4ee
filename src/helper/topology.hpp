// The hardware of this machine, or of one that was recorded, read with hwloc.
#pragma once

#include <string>

#include "base/error.hpp"
#include "model/topology.hpp"

namespace muster::helper {

// What this process may use: cgroup and affinity are respected. Costs some milliseconds, since
// hwloc is loaded and looks at all of sysfs. Fault::cannot_start without hwloc, with the name of
// the package.
[[nodiscard]] base::Result<model::Topology> read_topology();

// A machine that `lstopo FILE.xml` recorded; Fault::bad_file when hwloc cannot read it.
[[nodiscard]] base::Result<model::Topology> read_recorded_topology(const std::string& xml_file);

}  // namespace muster::helper
