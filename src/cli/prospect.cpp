// Places the ranks, and picks what of the launching shell goes along.
#include "cli/prospect.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/ranges.h>
#include <map>

#include "cli/inventory.hpp"
#include "container/images.hpp"
#include "plan/dialects.hpp"
#include "plan/plan.hpp"

namespace muster::cli {
namespace {

using base::Result;

Result<std::vector<plan::Forwarded>> kept(const model::JobSpec& spec,
                                          const std::vector<std::string>& environment,
                                          plan::Machine machine) {
  std::vector<plan::Forwarded> result;
  for (model::App app : spec.apps) {
    if (spec.container) app.clean = true;  // it has an environment of its own
    auto one = plan::forwarded(environment, app, spec.environment, machine);
    if (!one) return tl::unexpected(one.error());
    result.push_back(std::move(*one));
  }
  return result;
}

// A variable that some of the apps do not get.
struct Missed {
  std::string why;
  std::vector<std::string> by;  // their programs
};

std::vector<plan::Withheld> withheld_by_apps(const std::vector<model::App>& apps,
                                             const std::vector<plan::Forwarded>& kept) {
  std::map<std::string, Missed> missed;
  for (std::size_t i = 0; i < apps.size(); ++i) {
    for (const plan::Withheld& one : kept[i].withheld) {
      Missed& by = missed.try_emplace(one.name, Missed{one.why, {}}).first->second;
      by.by.push_back(apps[i].command.front());
    }
  }
  std::vector<plan::Withheld> all;
  for (const auto& [name, one] : missed) {
    const bool by_all = one.by.size() == apps.size();
    all.push_back(
        {name, by_all ? one.why : fmt::format("{}, for {}", one.why, fmt::join(one.by, ", "))});
  }
  return all;
}

}  // namespace

Result<Prospect> prospect(model::JobSpec spec, model::Inventory inventory,
                          const std::vector<std::string>& environment) {
  auto placed = plan::place(spec, inventory);
  if (!placed) return tl::unexpected(placed.error());
  const auto fits = container::check_images(spec, *placed);
  if (!fits) return tl::unexpected(fits.error());
  auto same_machine = kept(spec, environment, plan::Machine::same);
  if (!same_machine) return tl::unexpected(same_machine.error());
  auto elsewhere = kept(spec, environment, plan::Machine::another);
  if (!elsewhere) return tl::unexpected(elsewhere.error());
  return Prospect{std::move(spec),
                  std::move(inventory),
                  std::move(*placed),
                  {std::move(*same_machine), std::move(*elsewhere)}};
}

Result<void> check_room(const model::JobSpec& spec, const std::vector<std::string>& environment) {
  model::JobSpec unbound = spec;
  unbound.mapping.bind_to = model::BindTo::none;
  unbound.mapping.bind_given = true;
  unbound.mapping.bind_by_default = false;
  unbound.mapping.memory = {};
  const bool by_names = unbound.mapping.map_by == model::MapBy::rankfile;  // this machine has more
  if (by_names || plan::needs_topology(unbound)) return {};
  const auto inventory =
      unbound.hosts.empty() ? inventory_of(unbound, {}, environment) : plan::inventory(unbound, {});
  if (!inventory) return tl::unexpected(inventory.error());
  if (plan::needs_facts(unbound, *inventory)) return {};
  return plan::place(unbound, *inventory).map([](const model::Plan&) {});
}

plan::Rendezvous foreseen_rendezvous(const Prospect& job) {
  const std::vector<std::optional<model::HostFacts>> unknown(job.plan.nodes.size());
  plan::Rendezvous where = plan::rendezvous(job.plan, unknown);
  if (const auto limit = job.spec.timeout) {
    where.point.deadline =
        fmt::format("<start + {:g} s>", std::chrono::duration<double>(*limit).count());
  }
  return where;
}

std::vector<plan::Withheld> withheld(const Prospect& job) {
  const auto is_elsewhere = [](const auto& node) { return !node.host.carrier.same_machine; };
  const bool all_here = std::ranges::none_of(job.plan.nodes, is_elsewhere);
  const auto& kept = all_here ? job.kept.same_machine : job.kept.elsewhere;
  auto all = withheld_by_apps(job.spec.apps, kept);
  const plan::Rendezvous where = foreseen_rendezvous(job);
  const std::string name = "<random>";
  for (plan::Withheld& one : plan::left_out({job.plan, where, job.spec, name}, kept.front())) {
    const auto at = std::ranges::lower_bound(all, one.name, {}, &plan::Withheld::name);
    const bool shell_has_it = at != all.end() && at->name == one.name;
    if (!shell_has_it) all.insert(at, std::move(one));
  }
  return all;
}

}  // namespace muster::cli
