// The errors of place(): how many ranks were wanted, how many fit, and a command that works.
#pragma once

#include "plan/plan.hpp"

namespace muster::plan {

// Capacity of all hosts together, with --per-node and max_slots applied.
struct Total {
  std::uint64_t slots = 0;
  std::uint64_t cap = 0;  // what fits with --oversubscribe
};

[[nodiscard]] tl::unexpected<base::Error> bad_count(std::uint64_t ranks);

[[nodiscard]] tl::unexpected<base::Error> above_slots(const model::JobSpec& spec,
                                                      const model::Inventory& inventory,
                                                      std::uint64_t ranks, const Total& total);

[[nodiscard]] tl::unexpected<base::Error> above_cap(const model::JobSpec& spec,
                                                    const model::Inventory& inventory,
                                                    std::uint64_t ranks, const Total& total);

// ppr that asks for more on one host than it has slots.
[[nodiscard]] tl::unexpected<base::Error> too_few_on(const model::JobSpec& spec,
                                                     const model::Host& host);

}  // namespace muster::plan
