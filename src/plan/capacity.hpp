// Capacity: how many ranks the hosts of a job take under its mapping.
#pragma once

#include "plan/dealing.hpp"
#include "plan/hardware.hpp"

namespace muster::plan {

// The hosts in the order in which they get ranks, with slots counted: under Open MPI's rule this
// machine comes first, and `no_local` leaves it out. Slots that stand for cores become their
// number. Fault::usage when nothing is left, or cores that are not known would have to be counted.
[[nodiscard]] base::Result<model::Inventory> served(const model::JobSpec& spec,
                                                    model::Inventory inventory);

// Whether served() would change anything.
[[nodiscard]] bool is_served_as_is(const model::JobSpec& spec, const model::Inventory& inventory);

// The level of hardware that ranks are mapped to; nothing when they are mapped to hosts only.
[[nodiscard]] std::optional<model::Level> mapped_level(const model::Mapping& mapping);

// What each host takes, with --per-node, max_slots and the objects of the mapping's level.
// Fault::usage when PE=n is more than an object has cpus, or no host has such objects.
[[nodiscard]] base::Result<std::vector<Capacity>> capacities(const model::JobSpec& spec,
                                                             const model::Inventory& inventory,
                                                             HardwareOfHosts& hardware);

}  // namespace muster::plan
