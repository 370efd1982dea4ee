// Ranks that MPI_Comm_spawn adds to a run: what its info keys ask for, and where the ranks go.
// Pure.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"

namespace muster::plan {

// What one command of a spawn asks for besides its program.
struct SpawnWish {
  std::uint32_t ranks = 1;
  std::vector<std::string> hosts;  // where, by name; empty: anywhere in the job, idle hosts too
  std::string workdir;             // empty: the job's
  std::string path;                // folders searched first, with ':' between
  bool by_node = false;            // one rank each in turn; otherwise by slot
  bool operator==(const SpawnWish&) const = default;
};

// Reads info keys of MPI (host, wdir, path) and of Open MPI (map_by, under both of its spellings).
// Other keys are ignored, as MPI 4.0 section 10.1 demands; but those that would bring hosts into
// the job (hostfile, add-host, add-hostfile) are Fault::usage, since muster cannot do that. `soft`
// is satisfied by starting all ranks that were requested.
[[nodiscard]] base::Result<SpawnWish> spawn_wish(
    std::span<const std::pair<std::string, std::string>> info, std::uint32_t ranks);

// A host that new ranks may go to.
struct SpawnCapacity {
  base::NodeIndex node;
  const model::Host* host = nullptr;
  std::uint32_t busy = 0;  // ranks that run there now
};

// A node for each rank, in the order of wishes. By slot: free slots are filled first, each host in
// turn; then each rank goes to the host that is overfull by the fewest, since MPI programs expect
// to spawn as they please. By node: one rank each in turn. max_slots always holds: Fault::no_slots.
// A host that is not in `capacities` is Fault::usage.
[[nodiscard]] base::Result<std::vector<base::NodeIndex>> place_spawned(
    std::span<const SpawnCapacity> capacities, std::span<const SpawnWish> wishes);

}  // namespace muster::plan
