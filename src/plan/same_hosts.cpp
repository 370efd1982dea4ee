// same_hosts: entries of a host list that turn out to be one host.
#include <map>
#include <string_view>

#include "plan/plan.hpp"

namespace muster::plan {
namespace {

// A carrier's command that stays on this machine (Hydra's -launcher fork) does not join what its
// user keeps apart.
bool may_be_another(const model::Host& host, const model::HostFacts& facts) {
  if (facts.identity.empty() || !host.carrier.tells_identity) return false;
  return host.carrier.is_this_machine() || !facts.reached_at.empty();
}

}  // namespace

std::vector<model::SameHost> same_hosts(const model::Plan& plan,
                                        std::span<const std::optional<model::HostFacts>> facts) {
  std::map<std::string_view, const model::Host*> first;
  std::vector<model::SameHost> same;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const model::Host& host = plan.nodes[i].host;
    if (!facts[i] || !may_be_another(host, *facts[i])) continue;
    const auto [known, is_new] = first.try_emplace(facts[i]->identity, &host);
    if (is_new) continue;
    const bool goes = !host.carrier.is_this_machine();
    same.push_back(goes ? model::SameHost{host, *known->second}
                        : model::SameHost{*known->second, host});
    if (!goes) known->second = &host;
  }
  return same;
}

}  // namespace muster::plan
