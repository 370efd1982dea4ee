// Puts together what plan, worlds and programs know of a rank.
#include "machine/speakers.hpp"

namespace muster::machine {

Speakers::Speakers(const model::Plan& plan, const std::vector<model::App>& apps)
    : plan_(plan), worlds_{{1, base::Rank(0), static_cast<std::uint32_t>(plan.ranks.size())}} {
  roles_.reserve(apps.size());
  for (const model::App& app : apps) roles_.push_back(app.role);
}

view::Speaker Speakers::of(base::Rank rank) const {
  const model::World& world = model::world_of(worlds_, rank);
  const model::PlannedRank& planned = plan_.ranks[rank.value];
  view::Speaker speaker{
      world, world.own(rank), planned.local_rank, planned.node.value, attempt_, {}, {}};
  speaker.host = plan_.nodes[planned.node.value].host.name;
  if (world.number == 1 && planned.app < roles_.size()) speaker.role = roles_[planned.app];
  return speaker;
}

bool Speakers::elsewhere(base::Rank rank) const {
  return plan_.nodes[plan_.ranks[rank.value].node.value].host.carrier.own_console;
}

}  // namespace muster::machine
