// Reads the keys `unset` and `dialects`.
#include "job/environment_rule.hpp"

#include <algorithm>

#include "spec/environment_rule.hpp"
#include "spec/in_quotes.hpp"

namespace muster::job {
namespace {

std::string list_of(const std::vector<Text>& dialects) {
  std::string list;
  for (const Text& one : dialects) list += (list.empty() ? "" : ",") + one.text;
  return list;
}

bool has_value(const JobFile& job, const std::string& name) {
  const auto has = [&](const std::vector<Named>& all) {
    return std::ranges::find(all, name, &Named::name) != all.end();
  };
  return has(job.variables) || has(job.workers.variables) || has(job.servers.variables) ||
         std::ranges::find(job.secrets, name, &Text::text) != job.secrets.end();
}

}  // namespace

void check_environment_rule(const JobFile& job, Complaints& complaints) {
  for (const Text& one : job.unset) {
    const auto name = spec::read_unset(one.text);
    if (!name) complaints.add(one.begin, "unset " + name.error().what, name.error().hint);
    if (!has_value(job, one.text)) continue;
    complaints.add(one.begin,
                   fmt::format("{} is to be unset, and has a value", spec::in_quotes(one.text)),
                   "keep one of them");
  }
  if (job.dialects.empty()) return;
  const auto silent = spec::read_dialects(list_of(job.dialects));
  if (silent) return;
  complaints.add(job.dialects.front().begin, "dialects " + silent.error().what,
                 silent.error().hint);
}

model::EnvironmentRule environment_rule(const JobFile& job) {
  model::EnvironmentRule rule;
  for (const Text& one : job.unset) rule.unset.push_back(one.text);
  if (job.dialects.empty()) return rule;
  if (auto silent = spec::read_dialects(list_of(job.dialects))) rule.silent = std::move(*silent);
  return rule;
}

}  // namespace muster::job
