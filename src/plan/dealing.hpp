// Dealing: which host, and which object of it, each rank gets. Linear in ranks and hosts.
#pragma once

#include <cstdint>
#include <vector>

#include "model/plan.hpp"

namespace muster::plan {

inline constexpr std::uint32_t kNoObject = 0xFFFFFFFF;  // the host as a whole

struct Assignment {
  std::uint32_t host = 0;               // index in the inventory
  std::uint32_t object = kNoObject;     // index among the usable objects of the mapping's level
  std::uint32_t set = model::kUnbound;  // index in Plan::sets
  bool operator==(const Assignment&) const = default;
};

// What is left on a host before it is full, and at the very most.
struct Capacity {
  std::uint32_t slots = 0;
  std::uint32_t cap = 0;      // not below slots
  std::uint32_t objects = 0;  // of the mapping's level; 0 where it has none
};

// Each of these deals exactly `ranks`, which is at most the sum of caps.

// Each host in turn takes its slots; the rest is spread evenly over all hosts, earlier ones first.
// The ranks of a host are in a row. (orte/mca/rmaps/round_robin/rmaps_rr_mappers.c, byslot)
[[nodiscard]] std::vector<Assignment> by_slot(const std::vector<Capacity>& capacities,
                                              std::uint64_t ranks);

// One each in turn, none to a full host; when all are full the turn goes on.
[[nodiscard]] std::vector<Assignment> by_node(const std::vector<Capacity>& capacities,
                                              std::uint64_t ranks);

// One each in turn up to the cap, slots or not: Open MPI's way when there are too few slots.
[[nodiscard]] std::vector<Assignment> by_node_crowded(const std::vector<Capacity>& capacities,
                                                      std::uint64_t ranks);

// Each host takes its slots in turn, and when all are full again as many, and so on: Hydra's way
// (src/pm/hydra/lib/utils/rankmap.c). No cap.
[[nodiscard]] std::vector<Assignment> by_pattern(const std::vector<Capacity>& capacities,
                                                 std::uint64_t ranks);

// By slot, and within a host round-robin over its objects. Hosts without objects have cap 0.
[[nodiscard]] std::vector<Assignment> by_object(const std::vector<Capacity>& capacities,
                                                std::uint64_t ranks);

// The objects of all hosts as if of one machine: each gets the same number, earlier ones one more;
// slots do not matter, caps do. The ranks of a host are in a row, round-robin over its objects.
// (rmaps_rr_mappers.c, byobj_span; order of a host as 4.1.4 does it)
[[nodiscard]] std::vector<Assignment> by_object_span(const std::vector<Capacity>& capacities,
                                                     std::uint64_t ranks);

// So many on each object, object by object, until there are no more ranks. `ranks` is at most
// per_object times all objects. (orte/mca/rmaps/ppr/rmaps_ppr.c)
[[nodiscard]] std::vector<Assignment> per_object(const std::vector<Capacity>& capacities,
                                                 std::uint64_t ranks, std::uint32_t per_object);

}  // namespace muster::plan
