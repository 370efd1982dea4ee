// Writes TF_CONFIG: tensorflow.org/guide/distributed_training, "Setting up the TF_CONFIG variable".
#include "plan/tf_config.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace muster::plan {
namespace {

std::string address_of(const model::Plan& plan, const Rendezvous& where, std::uint32_t rank) {
  const model::PlannedRank& planned = plan.ranks[rank];
  const std::uint32_t node = planned.node.value;
  const std::string& address = where.addresses[node];
  const bool is_v6 = address.find(':') != std::string::npos;
  const std::string host = is_v6 ? "[" + address + "]" : address;
  if (!where.ports[node]) return fmt::format("{}:<port of {}>", host, plan.nodes[node].host.name);
  return fmt::format("{}:{}", host, *where.ports[node] + planned.local_rank);
}

// Ranks are numbered through the apps: those of one follow each other.
std::uint32_t first_rank(const model::Plan& plan, std::size_t app) {
  const auto found = std::ranges::lower_bound(plan.ranks, app, {}, &model::PlannedRank::app);
  return static_cast<std::uint32_t>(found - plan.ranks.begin());
}

// "worker": ["10.0.0.1:2222", "10.0.0.2:2222"]
std::string role_of(const model::Plan& plan, const Rendezvous& where, const model::JobSpec& spec,
                    std::size_t app) {
  std::vector<std::string> addresses;
  const std::uint32_t end = first_rank(plan, app + 1);
  for (std::uint32_t rank = first_rank(plan, app); rank < end; ++rank) {
    addresses.push_back('"' + address_of(plan, where, rank) + '"');
  }
  return fmt::format(R"("{}": [{}])", spec.apps[app].role, fmt::join(addresses, ", "));
}

}  // namespace

std::string tf_config(const model::Plan& plan, const Rendezvous& where, const model::JobSpec& spec,
                      base::Rank rank) {
  const std::size_t own = plan.ranks[rank.value].app;
  if (spec.apps[own].role.empty()) return {};
  std::vector<std::string> roles;
  for (std::size_t app = 0; app < spec.apps.size(); ++app) {
    roles.push_back(role_of(plan, where, spec, app));
  }
  return fmt::format(
      R"({{"cluster": {{{}}}, "task": {{"type": "{}", "index": {}}}, "environment": "cloud"}})",
      fmt::join(roles, ", "), spec.apps[own].role, rank.value - first_rank(plan, own));
}

}  // namespace muster::plan
