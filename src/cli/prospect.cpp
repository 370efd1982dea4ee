// Places the ranks, and picks what of the launching shell goes along.
#include "cli/prospect.hpp"

#include <algorithm>

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
  for (const model::App& app : spec.apps) {
    // A container has an environment of its own.
    const bool clean = spec.clean_env || spec.container;
    auto one = plan::forwarded(environment, app, clean, machine);
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

std::vector<plan::Withheld> withheld(const Prospect& job) {
  const auto is_elsewhere = [](const auto& node) { return !node.host.carrier.same_machine; };
  const bool all_here = std::ranges::none_of(job.plan.nodes, is_elsewhere);
  auto all = (all_here ? job.kept.same_machine : job.kept.elsewhere).front().withheld;
  for (plan::Withheld& one : plan::left_out(job.plan, job.spec)) {
    const auto at = std::ranges::lower_bound(all, one.name, {}, &plan::Withheld::name);
    const bool shell_has_it = at != all.end() && at->name == one.name;
    if (!shell_has_it) all.insert(at, std::move(one));
  }
  return all;
}

}  // namespace muster::cli
