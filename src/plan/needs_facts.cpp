// needs_facts: whether hosts must be asked for their hardware before a job can be planned.
#include <algorithm>

#include "plan/capacity.hpp"
#include "plan/plan.hpp"

namespace muster::plan {

bool needs_topology(const model::JobSpec& spec) {
  const model::Mapping& mapping = spec.mapping;
  if (mapping.bind_to != model::BindTo::none || mapping.bind_by_default) return true;
  if (mapping.cpus_per_rank > 1 && !mapping.bind_given) return true;
  if (mapping.cpu_set || mapping.map_by == model::MapBy::pe_list) return true;
  if (mapping.map_by == model::MapBy::rankfile && !mapping.bind_given) return true;
  const bool ranks_by_object = mapping.rank_given && mapping.rank_by != model::RankBy::slot &&
                               mapping.rank_by != model::RankBy::node;
  const auto level = mapped_level(mapping);
  const bool maps_by_object = level && *level != model::Level::machine;
  return ranks_by_object || (maps_by_object && spec.slot_rule != model::SlotRule::hydra);
}

bool needs_facts(const model::JobSpec& spec, const model::Inventory& inventory) {
  const bool all = needs_topology(spec);
  return std::ranges::any_of(inventory.hosts, [&](const model::Host& host) {
    return !host.topology && (all || host.slots_are_cores);
  });
}

}  // namespace muster::plan
