// Finds out what all ranks have in common.
#include "plan/environments.hpp"

#include <algorithm>

namespace muster::plan {
namespace {

using Variables = std::vector<model::Variable>;

bool is_named_in(const Variables& variables, std::string_view name) {
  return std::ranges::find(variables, name, &model::Variable::name) != variables.end();
}

bool is_in(const Variables& variables, const model::Variable& one) {
  return std::ranges::find(variables, one) != variables.end();
}

// What is laid over wins, as it does on the host.
void lay_over(Variables& variables, const Variables& over) {
  std::erase_if(variables, [&](const auto& one) { return is_named_in(over, one.name); });
  variables.insert(variables.end(), over.begin(), over.end());
}

void sort_by_name(Variables& variables) {
  std::ranges::sort(variables, {}, &model::Variable::name);
}

}  // namespace

Environments::Environments(const Sources& of, const Kept& kept, const SetBySomebody& set)
    : of_(of), twins_(twins(of.plan)), groups_(of.spec.apps.size() * 2) {
  if (of_.plan.ranks.empty()) return;
  add_groups(kept, set);
  share_what_groups_have();
  share_what_ranks_have();
  sort_by_name(common_);
}

std::vector<model::Variable> Environments::own(base::Rank rank) const {
  Variables variables = beyond(groups_, rank);
  const Variables& alike = groups_[group_of(rank)]->alike;
  variables.insert(variables.end(), alike.begin(), alike.end());
  sort_by_name(variables);
  return variables;
}

std::size_t Environments::group_of(base::Rank rank) const {
  const model::PlannedRank& planned = of_.plan.ranks[rank.value];
  const model::Host& host = of_.plan.nodes[planned.node.value].host;
  return std::size_t{planned.app} * 2 + (host.carrier.same_machine ? 0 : 1);
}

void Environments::add_groups(const Kept& kept, const SetBySomebody& set) {
  for (std::uint32_t i = 0; i < of_.plan.ranks.size(); ++i) {
    const base::Rank rank(i);
    std::optional<Group>& slot = groups_[group_of(rank)];
    if (slot) continue;
    const model::PlannedRank& planned = of_.plan.ranks[i];
    slot.emplace(group(kept.on(of_.plan.nodes[planned.node.value].host)[planned.app], rank, set));
  }
}

Environments::Group Environments::group(const Forwarded& kept, base::Rank rank,
                                        const SetBySomebody& set) const {
  const std::uint32_t app = of_.plan.ranks[rank.value].app;
  AppDialects dialects(of_, kept, app);
  Variables alike = dialects.common();
  lay_over(alike, set(kept));
  lay_over(alike, added_for_app(of_.plan, of_.spec, app));
  const Variables of_one = added_for_rank(of_.plan, of_.spec, rank);
  std::erase_if(alike, [&](const auto& one) { return is_named_in(of_one, one.name); });
  return {std::move(dialects), std::move(alike)};
}

void Environments::share_what_groups_have() {
  common_ = groups_[group_of(base::Rank(0))]->alike;
  for (const std::optional<Group>& one : groups_) {
    if (one) std::erase_if(common_, [&](const auto& v) { return !is_in(one->alike, v); });
  }
  for (std::optional<Group>& one : groups_) {
    if (one) std::erase_if(one->alike, [&](const auto& v) { return is_in(common_, v); });
  }
}

// Most variables differ between the first ranks and are looked at no more: what is left for a
// million ranks is a handful.
void Environments::share_what_ranks_have() {
  Groups looked_at = groups_;
  Variables shared = beyond(looked_at, base::Rank(0));
  for (std::uint32_t i = 1; i < of_.plan.ranks.size() && !shared.empty(); ++i) {
    const Variables other = beyond(looked_at, base::Rank(i));
    const auto gone = std::erase_if(shared, [&](const auto& one) { return !is_in(other, one); });
    if (gone == 0) continue;
    for (std::optional<Group>& one : looked_at) {
      if (one) one->dialects.keep([&](auto name) { return is_named_in(shared, name); });
    }
  }
  for (std::optional<Group>& one : groups_) {
    if (one) one->dialects.keep([&](auto name) { return !is_named_in(shared, name); });
  }
  common_.insert(common_.end(), shared.begin(), shared.end());
}

std::vector<model::Variable> Environments::beyond(const Groups& groups, base::Rank rank) const {
  Variables variables = groups[group_of(rank)]->dialects.of(rank, twins_);
  for (model::Variable& one : added_for_rank(of_.plan, of_.spec, rank)) {
    if (!is_in(common_, one)) variables.push_back(std::move(one));
  }
  return variables;
}

}  // namespace muster::plan
