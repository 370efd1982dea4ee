// Lists the ranks of each role with their addresses.
#include "plan/roles.hpp"

#include <algorithm>
#include <vector>

namespace muster::plan {
namespace {

struct RoleRanks {
  std::string role;
  std::vector<base::Rank> ranks;
};

const std::string& role_of(const model::JobSpec& spec, const model::Plan& plan, std::size_t rank) {
  return spec.apps[plan.ranks[rank].app].role;
}

// In the order in which the roles were asked for.
std::vector<RoleRanks> ranks_by_role(const model::JobSpec& spec, const model::Plan& plan) {
  std::vector<RoleRanks> all;
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    const std::string& role = role_of(spec, plan, i);
    auto found = std::ranges::find(all, role, &RoleRanks::role);
    if (found == all.end()) found = all.insert(all.end(), {role, {}});
    found->ranks.emplace_back(i);
  }
  return all;
}

std::string port_of(const model::Plan& plan, const Rendezvous& where, base::Rank rank) {
  const model::PlannedRank& planned = plan.ranks[rank.value];
  const std::uint32_t node = planned.node.value;
  const bool known = node < where.rank_ports.size() && where.rank_ports[node];
  if (known && planned.local_rank < where.rank_ports[node]->size()) {
    return std::to_string((*where.rank_ports[node])[planned.local_rank]);
  }
  return fmt::format("<port {} of {}>", planned.local_rank, plan.nodes[node].host.name);
}

std::string endpoint(const model::Plan& plan, const Rendezvous& where, base::Rank rank) {
  const std::string& address = where.point.addresses[plan.ranks[rank.value].node.value];
  const bool v6 = address.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", address, v6 ? "]" : "",
                     port_of(plan, where, rank));
}

// Addresses and roles are plain words; a host that calls itself otherwise must not break the text.
std::string json_text(std::string_view words) {
  std::string text = "\"";
  for (const char c : words) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) >= ' ') text += c;
  }
  return text + "\"";
}

std::string cluster(const model::JobSpec& spec, const model::Plan& plan, const Rendezvous& where) {
  std::string text;
  for (const RoleRanks& role : ranks_by_role(spec, plan)) {
    if (role.role == "evaluator") continue;
    if (!text.empty()) text += ", ";
    text += json_text(role.role) + ": [";
    for (const base::Rank rank : role.ranks) {
      if (!text.ends_with('[')) text += ", ";
      text += json_text(endpoint(plan, where, rank));
    }
    text += "]";
  }
  return text;
}

}  // namespace

bool is_light(std::string_view role) {
  return role == "ps" || role == "evaluator" || role == kMindSporeScheduler ||
         role == kMindSporeServer;
}

std::uint32_t ports_wanted(const model::JobSpec& spec, const model::PlannedNode& node) {
  const bool any = spec.roles != model::Roles::none;
  return any ? static_cast<std::uint32_t>(node.ranks.size()) : 0;
}

base::Result<void> check_ports(const model::JobSpec& spec, const model::Plan& plan,
                               const Rendezvous& where) {
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const std::uint32_t wanted = ports_wanted(spec, plan.nodes[i]);
    const std::size_t told = where.rank_ports[i] ? where.rank_ports[i]->size() : 0;
    if (wanted <= told) continue;
    return base::fail(base::Fault::internal, "is the same muster installed there?",
                      "{}: its agent claimed {} ports for {} ranks", plan.nodes[i].host.name, told,
                      wanted);
  }
  return {};
}

std::uint32_t ranks_of(const model::JobSpec& spec, const model::Plan& plan, std::string_view role) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) count += role_of(spec, plan, i) == role;
  return count;
}

std::uint32_t index_in_role(const model::JobSpec& spec, const model::Plan& plan, base::Rank rank) {
  const std::string& role = role_of(spec, plan, rank.value);
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < rank.value; ++i) index += role_of(spec, plan, i) == role;
  return index;
}

std::uint32_t place_in_role(const model::JobSpec& spec, const model::Plan& plan, base::Rank rank) {
  const std::string& role = role_of(spec, plan, rank.value);
  const auto& here = plan.nodes[plan.ranks[rank.value].node.value].ranks;
  return static_cast<std::uint32_t>(std::ranges::count_if(here, [&](base::Rank other) {
    return other < rank && role_of(spec, plan, other.value) == role;
  }));
}

std::string tf_config(const model::JobSpec& spec, const model::Plan& plan, const Rendezvous& where,
                      base::Rank rank) {
  return fmt::format(
      R"({{"cluster": {{{}}}, "task": {{"type": {}, "index": {}}}, "environment": "cloud"}})",
      cluster(spec, plan, where), json_text(role_of(spec, plan, rank.value)),
      index_in_role(spec, plan, rank));
}

Scheduler scheduler(const model::JobSpec& spec, const model::Plan& plan, const Rendezvous& where) {
  for (std::size_t i = 0; i < plan.ranks.size(); ++i) {
    if (role_of(spec, plan, i) != kMindSporeScheduler) continue;
    return {where.point.addresses[plan.ranks[i].node.value], port_of(plan, where, base::Rank(i))};
  }
  return {};
}

}  // namespace muster::plan
