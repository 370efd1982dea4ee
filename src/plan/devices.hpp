// Devices: each rank's share of its host's accelerators, of those that no other job has claimed.
#pragma once

#include <span>
#include <string>

#include "plan/environment.hpp"

namespace muster::plan {

// The value that shows local rank `local` of `ranks` its `each` devices: "2,3". They are dealt in
// a row. Empty when the devices are too few for all ranks of the host.
[[nodiscard]] std::string share_of(const model::Devices& devices, std::uint32_t local,
                                   std::size_t ranks, std::uint32_t each);

// What fake node `index` of `count` on one machine has of its devices: as many in a row.
[[nodiscard]] model::Devices part_of(const model::Devices& devices, std::size_t index,
                                     std::size_t count);

// What the ranks of a node see of the devices that were named for its host: all, or the first
// that no other job holds, as many as --gpus-per-rank gives them together.
[[nodiscard]] std::string shown_of_named(const model::JobSpec& spec, const model::PlannedNode& node,
                                         const Rendezvous& where, base::NodeIndex index);

// Other jobs hold `claimed` of that node's devices, which --gpus-per-rank deals out as if these
// were not there. The answer is that of held_devices(); empty: nothing has changed.
[[nodiscard]] std::string leave_claimed(const model::JobSpec& spec, const model::Plan& plan,
                                        Rendezvous& where, base::NodeIndex node,
                                        std::span<const model::Devices> claimed);

// Whether that would change something: one of these devices is dealt there.
[[nodiscard]] bool deals_any(const model::JobSpec& spec, const model::Plan& plan,
                             const Rendezvous& where, base::NodeIndex node,
                             std::span<const model::Devices> devices);

// What no other job shall deal to its ranks meanwhile: the devices that --gpus-per-rank deals, or
// those that were named for that host. None with --share-gpus.
[[nodiscard]] std::vector<model::Devices> device_claims(const model::JobSpec& spec,
                                                        const model::Plan& plan,
                                                        const Rendezvous& where,
                                                        base::NodeIndex node);

// "devices 0,1 on n1: in use by another job of muster (uid 1001)"; users are named where they are
// others.
[[nodiscard]] std::string held_devices(const model::PlannedNode& node,
                                       std::span<const model::Devices> devices);

// --gpus-per-rank: every host must have devices of one maker that are enough for its ranks. A maker
// whose devices are too few (the display's, say) is left out. Fault::no_slots, which tells of what
// leave_claimed() has left. Hosts without facts pass.
[[nodiscard]] base::Result<void> check_devices(const model::JobSpec& spec, const model::Plan& plan,
                                               const Rendezvous& where);

// One line when ranks of a host see fewer devices than they are, so that some get the same one:
// which host, how many, and how many would have one each. Empty: no such host, or --gpus-per-rank
// deals them. `kept`: what apps are given, as a limit of -x counts too.
[[nodiscard]] std::string shared_devices(const model::JobSpec& spec, const model::Plan& plan,
                                         const Rendezvous& where, const Kept& kept);

}  // namespace muster::plan
