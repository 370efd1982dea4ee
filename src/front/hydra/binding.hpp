// mpiexec's -bind-to, -map-by and -membind as a Mapping.
#pragma once

#include "front/hydra/draft.hpp"

namespace muster::front {

// Words as in src/pm/hydra/lib/tools/topo/hwloc/topo_hwloc.c; caches beyond level 3, and devices
// but "gpu", are Fault::usage.
[[nodiscard]] base::Result<void> set_hydra_bind_to(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_map_by(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_membind(HydraDraft& draft, const Typed& typed);

// Of the whole line, once its hostfile has been read: as there, devices are mapped by as they are
// bound to.
[[nodiscard]] base::Result<void> settle_hydra_binding(const HydraDraft& draft);

}  // namespace muster::front
