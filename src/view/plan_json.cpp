// The plan as JSON for programs: one line per node and rank, so that two plans can be compared by
// lines and a million ranks need no tree in memory.
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "view/plan.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

using Json = nlohmann::ordered_json;

[[nodiscard]] std::string_view word(model::Reach reach) {
  switch (reach) {
    case model::Reach::here:
      return "here";
    case model::Reach::process:
      return "process";
    case model::Reach::ssh:
      return "ssh";
    case model::Reach::met:
      return "met";
  }
  CHECK(false);
}

[[nodiscard]] Json texts(const std::vector<std::string>& strings) {
  Json list = Json::array();
  for (const std::string& text : strings) list.push_back(utf8(text));
  return list;
}

[[nodiscard]] Json node_object(std::uint32_t index, const model::PlannedNode& node) {
  Json ranks = Json::array();
  for (const base::Rank rank : node.ranks) ranks.push_back(rank.value);
  return Json{{"node", index},
              {"host", utf8(node.host.name)},
              {"reach", word(node.host.reach)},
              {"slots", node.host.slots},
              {"cpus", node.host.cpus ? Json(*node.host.cpus) : Json(nullptr)},
              {"ranks", std::move(ranks)}};
}

[[nodiscard]] Json app_object(const model::App& app) {
  return Json{{"command", texts(app.command)}, {"workdir", utf8(app.workdir)}};
}

[[nodiscard]] Json environment_object(const std::vector<model::Variable>& variables) {
  Json object = Json::object();
  for (const auto& [name, value, why] : variables) {
    object[utf8(name)] = Json{{"value", utf8(value)}, {"why", utf8(why)}};
  }
  return object;
}

[[nodiscard]] Json folders_object(const std::vector<model::NamedPath>& outputs) {
  Json object = Json::object();
  for (const auto& [name, path] : outputs) object[utf8(name)] = utf8(path);
  return object;
}

// The cpus that a rank is bound to, as "0-3,8"; null when it is not bound.
[[nodiscard]] Json bound_to(const model::Plan& plan, const model::PlannedRank& rank) {
  if (rank.binding == model::kUnbound) return nullptr;
  return model::to_string(plan.sets[rank.binding]);
}

[[nodiscard]] Json rank_object(const PlanWords& words, base::Rank rank) {
  const model::PlannedRank& planned = words.plan.ranks[rank.value];
  return Json{{"rank", rank.value},
              {"node", planned.node.value},
              {"host", utf8(words.plan.nodes[planned.node.value].host.name)},
              {"local_rank", planned.local_rank},
              {"app", planned.app},
              {"bound_to", bound_to(words.plan, planned)},
              {"reason", utf8(words.reason(rank))},
              {"environment", environment_object(words.environment(rank))}};
}

// A list whose elements stand on their own lines.
template <class ElementAt>
[[nodiscard]] std::string list(std::size_t size, const ElementAt& element_at) {
  std::string text = "[";
  for (std::size_t i = 0; i < size; ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    text += element_at(i).dump();
  }
  return text + (size == 0 ? "]" : "\n  ]");
}

}  // namespace

std::vector<std::string> launcher_hosts(const model::JobSpec& spec) {
  std::vector<std::string> hosts;
  std::string_view left = spec.hostfile;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    hosts.emplace_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return hosts;
}

std::string plan_json(const PlanWords& words) {
  const model::Plan& plan = words.plan;
  const auto node = [&](std::size_t i) {
    return node_object(static_cast<std::uint32_t>(i), plan.nodes[i]);
  };
  const auto app = [&](std::size_t i) { return app_object(words.spec.apps[i]); };
  const auto launched = [&](std::size_t i) { return rank_object(*words.inner, base::Rank(i)); };
  const auto rank = [&](std::size_t i) { return rank_object(words, base::Rank(i)); };
  const auto withheld = [&](std::size_t i) {
    const auto& [name, why] = words.withheld[i];
    return Json{{"name", utf8(name)}, {"why", utf8(why)}};
  };
  std::string text = "{\n";
  text += "  \"apps\": " + list(words.spec.apps.size(), app) + ",\n";
  text += "  \"world_size\": " + std::to_string(plan.ranks.size()) + ",\n";
  text += "  \"nodes\": " + list(plan.nodes.size(), node) + ",\n";
  text += "  \"ranks\": " + list(plan.ranks.size(), rank) + ",\n";
  text += "  \"launcher_hosts\": " + texts(launcher_hosts(words.spec)).dump() + ",\n";
  const std::size_t known = words.inner == nullptr ? 0 : words.inner->plan.ranks.size();
  text += "  \"launched\": " + list(known, launched) + ",\n";
  text += "  \"outputs\": " + folders_object(words.outputs).dump() + ",\n";
  text += "  \"withheld\": " + list(words.withheld.size(), withheld) + ",\n";
  text += "  \"notices\": " + texts(plan.notices).dump() + "\n";
  return text + "}\n";
}

}  // namespace muster::view
