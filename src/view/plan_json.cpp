// The plan as JSON for programs: one line per node and rank, so that two plans can be compared by
// lines and a million ranks need no tree in memory.
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "view/plan.hpp"
#include "view/utf8.hpp"

namespace muster::view {
namespace {

using Json = nlohmann::ordered_json;

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
              {"reach", node.host.carrier.word},
              {"slots", node.host.slots},
              {"cpus", node.host.cpus ? Json(node.host.cpus->usable) : Json(nullptr)},
              {"ranks", std::move(ranks)}};
}

[[nodiscard]] Json app_object(const model::JobSpec& spec, const model::App& app) {
  Json object{{"command", texts(app.command)}, {"workdir", utf8(app.workdir)}};
  const std::string image = image_of(spec, app);
  if (!image.empty()) object["image"] = utf8(image);
  return object;
}

[[nodiscard]] Json folders_object(const std::vector<model::NamedPath>& outputs) {
  Json object = Json::object();
  for (const model::NamedPath& one : outputs) object[utf8(one.name)] = utf8(one.path);
  return object;
}

[[nodiscard]] Json code_object(const CodeWords& code) {
  return Json{{"folder", utf8(code.folder)},
              {"files", code.files},
              {"bytes", code.bytes},
              {"notices", texts(code.notices)}};
}

// The mode in the words of --mem-bind; "nodes" is null where it has none, else "all", "own" or a
// list.
[[nodiscard]] Json memory_object(const model::MemoryWish& wish) {
  if (wish.mode == model::MemoryMode::local) return Json{{"mode", "local"}, {"nodes", nullptr}};
  const bool in_turn = wish.mode == model::MemoryMode::interleave;
  return Json{{"mode", in_turn ? "interleave" : "bind"},
              {"nodes", wish.own_nodes       ? "own"
                        : wish.nodes.empty() ? "all"
                                             : model::to_string(wish.nodes)}};
}

[[nodiscard]] Json withheld_object(const std::pair<std::string, std::string>& withheld) {
  return Json{{"name", utf8(withheld.first)}, {"why", utf8(withheld.second)}};
}

[[nodiscard]] bool is_itself_in_json(char c) {
  return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

// Nearly every text stands in JSON as it is: a million ranks need no object for each.
void add_text(std::string& out, std::string_view text) {
  if (!std::ranges::all_of(text, is_itself_in_json)) {
    out += Json(utf8(text)).dump();
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

void add_variable(std::string& out, const model::Variable& variable) {
  add_text(out, variable.name);
  out += ":{\"value\":";
  add_text(out, variable.value);
  out += ",\"why\":";
  add_text(out, variable.why);
  out += '}';
}

// The cpus that a rank is bound to, as "0-3,8"; null when it is not bound.
void add_binding(std::string& out, const model::Plan& plan, const model::PlannedRank& rank) {
  if (rank.binding == model::kUnbound) {
    out += "null";
  } else {
    add_text(out, model::to_string(plan.sets[rank.binding]));
  }
}

void add_environment(std::string& out, const std::vector<model::Variable>& variables) {
  out += ",\"environment\":{";
  for (const model::Variable& variable : variables) {
    if (&variable != &variables.front()) out += ',';
    add_variable(out, variable);
  }
  out += '}';
}

void add_rank(std::string& out, const PlanWords& words, base::Rank rank) {
  const model::PlannedRank& planned = words.plan.ranks[rank.value];
  fmt::format_to(std::back_inserter(out), "{{\"rank\":{},\"node\":{},\"host\":", rank.value,
                 planned.node.value);
  add_text(out, words.plan.nodes[planned.node.value].host.name);
  fmt::format_to(std::back_inserter(out),
                 ",\"local_rank\":{},\"app\":{},\"bound_to\":", planned.local_rank, planned.app);
  add_binding(out, words.plan, planned);
  out += ",\"reason\":";
  add_text(out, words.reason(rank));
  if (words.environment) add_environment(out, words.environment->own(rank));
  out += '}';
}

// What stands between such marks, each element on its own line.
template <class AddElement>
void add_lines(ChunkedText& chunks, std::string_view marks, std::size_t size,
               const AddElement& add_element) {
  chunks.text() += marks[0];
  for (std::size_t i = 0; i < size && chunks.go_on(); ++i) {
    chunks.text() += i == 0 ? "\n    " : ",\n    ";
    add_element(chunks.text(), i);
  }
  if (size > 0) chunks.text() += "\n  ";
  chunks.text() += marks[1];
}

template <class ObjectAt>
void add_objects(ChunkedText& chunks, std::string_view name, std::size_t size,
                 const ObjectAt& object_at) {
  fmt::format_to(std::back_inserter(chunks.text()), "  \"{}\": ", name);
  add_lines(chunks, "[]", size,
            [&](std::string& out, std::size_t i) { out += object_at(i).dump(); });
  chunks.text() += ",\n";
}

void add_ranks(ChunkedText& chunks, std::string_view name, const PlanWords* words) {
  fmt::format_to(std::back_inserter(chunks.text()), "  \"{}\": ", name);
  add_lines(chunks, "[]", words == nullptr ? 0 : words->plan.ranks.size(),
            [&](std::string& out, std::size_t i) { add_rank(out, *words, base::Rank(i)); });
  chunks.text() += ",\n";
}

void add_common(ChunkedText& chunks, std::string_view name,
                const std::vector<model::Variable>& common) {
  fmt::format_to(std::back_inserter(chunks.text()), "  \"{}\": ", name);
  add_lines(chunks, "{}", common.size(),
            [&](std::string& out, std::size_t i) { add_variable(out, common[i]); });
  chunks.text() += ",\n";
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

void plan_json(const PlanWords& words, const Take& take) {
  const model::Plan& plan = words.plan;
  ChunkedText chunks(take);
  chunks.text() += "{\n";
  add_objects(chunks, "apps", words.spec.apps.size(),
              [&](std::size_t i) { return app_object(words.spec, words.spec.apps[i]); });
  chunks.text() += "  \"world_size\": " + std::to_string(plan.ranks.size()) + ",\n";
  add_objects(chunks, "nodes", plan.nodes.size(), [&](std::size_t i) {
    return node_object(static_cast<std::uint32_t>(i), plan.nodes[i]);
  });
  if (words.environment) add_common(chunks, "environment", words.environment->common);
  add_ranks(chunks, "ranks", &words);
  chunks.text() += "  \"launcher_hosts\": " + texts(launcher_hosts(words.spec)).dump() + ",\n";
  if (words.inner != nullptr && words.inner->environment) {
    add_common(chunks, "launched_environment", words.inner->environment->common);
  }
  add_ranks(chunks, "launched", words.inner);
  chunks.text() += "  \"outputs\": " + folders_object(words.outputs).dump() + ",\n";
  if (!words.names.empty())
    chunks.text() += "  \"names\": " + folders_object(words.names).dump() + ",\n";
  const model::MemoryWish& memory = words.spec.mapping.memory;
  if (memory.mode != model::MemoryMode::inherited)
    chunks.text() += "  \"memory\": " + memory_object(memory).dump() + ",\n";
  if (words.code) chunks.text() += "  \"code\": " + code_object(*words.code).dump() + ",\n";
  add_objects(chunks, "withheld", words.withheld.size(),
              [&](std::size_t i) { return withheld_object(words.withheld[i]); });
  chunks.text() += "  \"notices\": " + texts(plan.notices).dump() + "\n}\n";
  chunks.hand_on();
}

}  // namespace muster::view
