// Places the ranks, and picks what of the launching shell goes along.
#include "cli/prospect.hpp"

#include <algorithm>
#include <chrono>

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
  model::EnvironmentRule rule = spec.environment;
  if (spec.container) rule.clean = true;  // it has an environment of its own
  for (const model::App& app : spec.apps) {
    auto one = plan::forwarded(environment, app, rule, machine);
    if (!one) return tl::unexpected(one.error());
    result.push_back(std::move(*one));
  }
  return result;
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
  const plan::Forwarded& kept = (all_here ? job.kept.same_machine : job.kept.elsewhere).front();
  auto all = kept.withheld;
  const plan::Rendezvous where = foreseen_rendezvous(job);
  const std::string name = "<random>";
  for (plan::Withheld& one : plan::left_out({job.plan, where, job.spec, name}, kept)) {
    const auto at = std::ranges::lower_bound(all, one.name, {}, &plan::Withheld::name);
    const bool shell_has_it = at != all.end() && at->name == one.name;
    if (!shell_has_it) all.insert(at, std::move(one));
  }
  return all;
}

}  // namespace muster::cli
