// Looks names up in a rule.
#include "model/environment_rule.hpp"

#include <algorithm>
#include <iterator>

namespace muster::model {
namespace {

bool covers(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

}  // namespace

bool is_unset(const EnvironmentRule& rule, std::string_view name) {
  if (name.starts_with("MUSTER_")) return false;
  return std::ranges::any_of(rule.unset, [&](const auto& one) { return covers(one, name); });
}

bool is_silent(const EnvironmentRule& rule, std::string_view title) {
  const auto* dialect = std::ranges::find(kDialects, title, &DialectName::title);
  if (!rule.silent || dialect == std::end(kDialects)) return false;
  return std::ranges::find(*rule.silent, dialect->name) != rule.silent->end();
}

}  // namespace muster::model
