// The hosts of an mpiexec line: lists, files, their order, and a map of ranks over them.
#pragma once

#include "front/hydra/draft.hpp"
#include "spec/host_form.hpp"

namespace muster::front {

inline constexpr spec::HostForm kHydraHostForm = {.list_option = "-hosts",
                                                  .empty_entry = spec::EmptyEntry::nothing};

[[nodiscard]] base::Result<void> set_hydra_hosts(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_program_hosts(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_hostfile(HydraDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hydra_order(HydraDraft& draft, const Typed& typed);

// Reads the hostfile, that of HYDRA_HOST_FILE if there is none, and carries -order-nodes and
// -rankmap out.
[[nodiscard]] base::Result<void> settle_hydra_hosts(HydraDraft& draft);

}  // namespace muster::front
