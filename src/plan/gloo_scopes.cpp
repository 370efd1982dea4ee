// Counts ranks by host and by local rank.
#include "plan/gloo_scopes.hpp"

#include <fmt/format.h>

namespace muster::plan {

std::map<std::string, std::uint32_t> gloo_scopes(const model::Plan& plan) {
  std::map<std::string, std::uint32_t> scopes;
  for (const model::PlannedRank& rank : plan.ranks) {
    ++scopes["global"];
    ++scopes["local_" + plan.nodes[rank.node.value].host.name];
    ++scopes[fmt::format("cross_{}", rank.local_rank)];
  }
  return scopes;
}

}  // namespace muster::plan
