// Binding to the cpus near a rank's GPUs, from what its host tells of its devices.
#pragma once

#include "plan/binding.hpp"
#include "plan/environment.hpp"

namespace muster::plan {

// A rank's GPUs are those that --gpus-per-rank deals to it; else local rank k uses GPU k, as
// frameworks do, and begins anew behind the last one. They are of the maker that most are of
// (Intel's last: most often they are the display's), among those that the host's list, or a limit
// of -x, shows to ranks. Ranks that are near to the same cpus share them. With Mapping::near it is
// the devices that it names, in turn.
//
// Fault::usage when a host has no GPU, does not tell what is near to one, or leaves none of these
// cpus to the job; with if-supported such ranks are not bound.
[[nodiscard]] base::Result<void> bind_to_gpus(const model::JobSpec& spec,
                                              const model::Inventory& inventory,
                                              HardwareOfHosts& hardware,
                                              std::vector<Assignment>& assignments, SetTable& sets);

// Whether each host has a GPU, and tells of cpus near to each of them that are left to us.
[[nodiscard]] bool gpus_are_placed(const model::Inventory& inventory);

// The same for a node whose devices are known by now, and dealt out: other jobs may hold some. Does
// nothing where that cannot be done, or where the plan binds to something else.
void follow_gpus(const model::JobSpec& spec, model::Plan& plan, const Rendezvous& where,
                 base::NodeIndex node);

}  // namespace muster::plan
