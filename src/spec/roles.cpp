// The table of roles, and what a job of them must look like.
#include "spec/roles.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "spec/in_quotes.hpp"

namespace muster::spec {
namespace {

using base::Fault;
using base::Result;
using model::JobSpec;
using model::Roles;

struct Known {
  std::string_view name;
  Roles roles;
  std::uint32_t most = model::kRolesRanksMax;
};

// Sources: tensorflow/python/distribute/cluster_resolver/tfconfig_cluster_resolver.py and
// multi_worker_util.py ("master" is the older word for "chief"); MindSpore's parameter server and
// dynamic cluster start.
constexpr Known kKnown[] = {
    {"chief", Roles::tensorflow, 1},  {"master", Roles::tensorflow, 1},
    {"worker", Roles::tensorflow},    {"ps", Roles::tensorflow},
    {"evaluator", Roles::tensorflow}, {"MS_SCHED", Roles::mindspore, 1},
    {"MS_WORKER", Roles::mindspore},  {"MS_PSERVER", Roles::mindspore},
};

template <class... Args>
tl::unexpected<base::Error> refuse_roles(std::string hint, fmt::format_string<Args...> text,
                                         Args&&... args) {
  return base::fail_at({"--role", 0, 0}, Fault::usage, std::move(hint), text,
                       std::forward<Args>(args)...);
}

std::string known_names() {
  std::string names;
  for (const Known& one : kKnown) names += (names.empty() ? "" : ", ") + std::string(one.name);
  return names;
}

Result<Known> find(const std::string& role) {
  const auto* const found = std::ranges::find(kKnown, role, &Known::name);
  if (found != std::end(kKnown)) return *found;
  std::vector<std::string> names;
  for (const Known& one : kKnown) names.emplace_back(one.name);
  return refuse_roles(base::did_you_mean(role, names, "roles are " + known_names()),
                      "there is no role {}", in_quotes(role));
}

std::uint64_t count_of(const JobSpec& spec, std::string_view role) {
  std::uint64_t count = 0;
  for (const model::App& app : spec.apps) count += app.role == role ? app.ranks.value_or(1) : 0;
  return count;
}

Result<void> check_counts(const JobSpec& spec, const Known& role) {
  const std::uint64_t count = count_of(spec, role.name);
  if (count > role.most) {
    return refuse_roles("", "{} may have {} rank{}, not {}", role.name, role.most,
                        role.most == 1 ? "" : "s", count);
  }
  return {};
}

Result<void> check_whole(const JobSpec& spec) {
  std::uint64_t ranks = 0;
  for (const model::App& app : spec.apps) ranks += app.ranks.value_or(1);
  if (ranks > model::kRolesRanksMax) {
    return refuse_roles("", "a job with roles may have {} ranks, not {}", model::kRolesRanksMax,
                        ranks);
  }
  if (count_of(spec, "chief") + count_of(spec, "master") > 1) {
    return refuse_roles("keep one of them", "chief and master are two words for one rank");
  }
  if (spec.roles == Roles::mindspore && count_of(spec, "MS_SCHED") == 0) {
    return refuse_roles("add --role MS_SCHED=1; it needs no device",
                        "MindSpore's workers need a scheduler to find each other");
  }
  return {};
}

void mark_servers(JobSpec& spec) {
  const bool directed = count_of(spec, "chief") + count_of(spec, "master") > 0;
  const bool servers = count_of(spec, "ps") > 0;
  const bool others = directed || count_of(spec, "worker") + count_of(spec, "evaluator") > 0;
  for (model::App& app : spec.apps) {
    app.serves = servers && others && (app.role == "ps" || (directed && app.role == "worker"));
  }
}

}  // namespace

Result<void> settle_roles(JobSpec& spec) {
  for (const model::App& app : spec.apps) {
    const auto known = find(app.role);
    if (!known) return tl::unexpected(known.error());
    if (spec.roles != Roles::none && spec.roles != known->roles) {
      return refuse_roles("one job is for one framework", "{} and {} do not go together",
                          spec.apps.front().role, app.role);
    }
    spec.roles = known->roles;
    if (auto checked = check_counts(spec, *known); !checked) return checked;
  }
  return check_whole(spec).map([&] { mark_servers(spec); });
}

}  // namespace muster::spec
