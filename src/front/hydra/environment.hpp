// What mpiexec's options about variables do to the draft.
#pragma once

#include "front/hydra/draft.hpp"

namespace muster::front {

[[nodiscard]] base::Result<void> set_hydra_genv(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_env(HydraDraft& draft, const Typed& typed);

// -genvall, -genvnone, -genvlist: one of them for the job.
[[nodiscard]] base::Result<void> set_hydra_ginherit(HydraDraft& draft, const Typed& typed,
                                                    HydraInherit::What what);
// -envall, -envnone, -envlist: one of them for each program.
[[nodiscard]] base::Result<void> set_hydra_inherit(HydraDraft& draft, const Typed& typed,
                                                   HydraInherit::What what);

// The exports of every program, in the order in which later ones win: Hydra's own, of -iface,
// of lists, of -genv, of -env (src/pm/hydra/lib/utils/alloc.c puts the local ones last).
[[nodiscard]] base::Result<void> settle_hydra_environment(HydraDraft& draft);

}  // namespace muster::front
