// reason: why a rank is where it is, in one line.
#include "base/check.hpp"
#include "plan/plan.hpp"

namespace muster::plan {
namespace {

std::string where_from(const model::Host& host) {
  base::Place place = host.place;
  place.column = 0;
  if (!place.source.empty()) return base::to_string(place);
  return host.carrier.is_share ? "--fake-nodes" : "this machine";
}

}  // namespace

std::string reason(const model::Plan& plan, base::Rank rank) {
  CHECK(rank.value < plan.ranks.size());
  const model::PlannedRank& planned = plan.ranks[rank.value];
  const model::Host& host = plan.nodes[planned.node.value].host;
  if (planned.local_rank >= host.slots) {
    return fmt::format("{}: number {} on {}, beyond its {} slot{} ({})", plan.policy,
                       planned.local_rank + 1, host.name, host.slots, host.slots == 1 ? "" : "s",
                       where_from(host));
  }
  return fmt::format("{}: slot {} of {} on {} ({})", plan.policy, planned.local_rank + 1,
                     host.slots, host.name, where_from(host));
}

}  // namespace muster::plan
