// Asks the dialects of each app that has ranks here.
#include "machine/rank_variables.hpp"

#include "base/check.hpp"

namespace muster::machine {

RankVariables::RankVariables(RankSources of, base::NodeIndex node)
    : of_(std::move(of)), twins_(plan::twins(of_.plan)), dialects_(of_.spec.apps.size()) {
  CHECK(node.value < of_.plan.nodes.size());
  for (const base::Rank rank : of_.plan.nodes[node.value].ranks) {
    const std::uint32_t app = of_.plan.ranks[rank.value].app;
    if (dialects_[app]) continue;
    dialects_[app].emplace(plan::Sources{of_.plan, of_.where, of_.spec, of_.job}, of_.kept[app],
                           app);
  }
}

const std::vector<model::Variable>& RankVariables::common(std::uint32_t app) const {
  static const std::vector<model::Variable> kNone;
  return dialects_[app] ? dialects_[app]->common() : kNone;
}

std::vector<model::Variable> RankVariables::own(base::Rank rank) const {
  const auto& dialects = dialects_[of_.plan.ranks[rank.value].app];
  CHECK(dialects.has_value());
  return dialects->of(rank, twins_);
}

}  // namespace muster::machine
