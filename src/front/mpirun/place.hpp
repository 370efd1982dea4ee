// What mpirun's options about counts, hosts, mapping and binding do to the draft.
#pragma once

#include "front/mpirun/draft.hpp"

namespace muster::front {

[[nodiscard]] base::Result<void> set_ranks(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> add_hosts(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_hostfile(MpirunDraft& draft, const Typed& typed);
// rmaps_base_mapping_policy, which yields to --map-by wherever that stands.
[[nodiscard]] base::Result<void> map_by_parameter(MpirunDraft& draft, const Typed& typed);
// rmaps_dist_device, which yields to --map-by dist:DEVICE in the same way.
[[nodiscard]] base::Result<void> set_dist_device(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_map_by(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_rank_by(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_bind_to(MpirunDraft& draft, const Typed& typed);
// --mem-bind, which only muster has; Open MPI's two parameters yield to it wherever they stand.
[[nodiscard]] base::Result<void> set_memory(MpirunDraft& draft, const Typed& typed);
// hwloc_base_mem_alloc_policy and hwloc_base_mem_bind_failure_action.
[[nodiscard]] base::Result<void> memory_by_parameter(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_memory_failure(MpirunDraft& draft, const Typed& typed);
// --bynode and its like: mapping and ranking by the same thing.
[[nodiscard]] base::Result<void> set_by(MpirunDraft& draft, std::string_view object);
[[nodiscard]] base::Result<void> set_one_per_node(MpirunDraft& draft);
[[nodiscard]] base::Result<void> set_per_node(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_per_socket(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_ppr(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_cpus_per_rank(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_cpu_set(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_cpu_list(MpirunDraft& draft, const Typed& typed);
[[nodiscard]] base::Result<void> set_oversubscribe(MpirunDraft& draft, const Typed& typed,
                                                   bool allowed);

// Reads hostfiles and host lists of all programs into the spec; relative hosts (+n1, +e) are
// looked up in the hostfile.
[[nodiscard]] base::Result<void> settle_mpirun_hosts(MpirunDraft& draft);
// What is wrong with the options of the program that is being read, and with its hosts.
[[nodiscard]] base::Error with_wrong_mpirun_hosts(base::Error error, const MpirunDraft& draft);
// Once all is read: -N, --npernode, --pernode, --npersocket and --ppr beside --map-by.
void settle_per_object(MpirunDraft& draft);
// Reads the rankfile into the mapping.
[[nodiscard]] base::Result<void> settle_rankfile(MpirunDraft& draft);

}  // namespace muster::front
