// Tells dialects apart.
#include "job/tables.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/words.hpp"
#include "job/kind_jobs.hpp"

namespace muster::job {
namespace {

struct Choice {
  Dialect dialect;
  std::string_view key;  // that only this dialect has; or empty
};

constexpr Choice kChoices[] = {
    {Dialect::native, "muster"},     {Dialect::component, "launcher"},
    {Dialect::draft, "distributed"}, {Dialect::command, "distribution"},
    {Dialect::command, "resources"}, {Dialect::command, "type"},
    {Dialect::command, "$schema"},
};

constexpr std::string_view kOldTypes[] = {"commandcomponent", "distributedcomponent"};

// "CommandComponent", also as "CommandComponent@1-legacy"; without a type the schema tells:
// ".../jsonschema/DistributedComponent.json".
bool is_old_component(const Node& root) {
  const Entry* type = find(root, "type");
  const Entry* schema = find(root, "$schema");
  std::string text = type != nullptr     ? type->value->text
                     : schema != nullptr ? schema->value->text
                                         : "";
  if (type == nullptr) text = text.substr(text.rfind('/') + 1);
  text = base::lower(text);
  return std::ranges::any_of(kOldTypes, [&](auto name) { return text.starts_with(name); });
}

Choice choice_of(const Node& root) {
  const bool is_native = find(root, "muster") != nullptr;
  if (!is_native && is_old_component(root)) return {Dialect::component, "type"};
  for (const Choice& choice : kChoices) {
    if (find(root, choice.key) != nullptr) return choice;
  }
  for (const std::string_view key : {"code", "compute"}) {
    const Entry* entry = find(root, key);
    if (entry != nullptr && entry->value->kind == Kind::map) return {Dialect::draft, ""};
  }
  return {Dialect::command, ""};
}

}  // namespace

JobTable table_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::native:
      return native_keys();
    case Dialect::draft:
      return draft_keys();
    case Dialect::component:
      return component_keys();
    case Dialect::preview:
    case Dialect::command:
      return command_keys();
  }
  return {};
}

std::string_view word(Dialect dialect) {
  switch (dialect) {
    case Dialect::native:
      return "a muster job";
    case Dialect::draft:
      return "a job draft";
    case Dialect::component:
      return "an older component";
    case Dialect::preview:
    case Dialect::command:
      return "a command job";
  }
  return "";
}

Dialect dialect_of(const Node& root) {
  return is_kind_job(root) ? Dialect::draft : choice_of(root).dialect;
}

std::string elsewhere(const Node& root, std::string_view key) {
  for (const Dialect other :
       {Dialect::command, Dialect::draft, Dialect::component, Dialect::native}) {
    const bool has = std::ranges::any_of(table_of(other),
                                         [&](const JobKey& one) { return one.text.name == key; });
    if (!has) continue;
    const Choice chosen = choice_of(root);  // takes a look at the whole file
    if (other == chosen.dialect) continue;
    const std::string why = chosen.key.empty() ? "" : fmt::format(", since it has {}", chosen.key);
    return fmt::format("{} belongs to {}; this is {}{}", key, word(other), word(chosen.dialect),
                       why);
  }
  return "";
}

}  // namespace muster::job
