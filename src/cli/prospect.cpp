// Places the ranks, and picks what of the launching shell goes along.
#include "cli/prospect.hpp"

#include "plan/plan.hpp"

namespace muster::cli {
namespace {

using base::Result;

Result<std::vector<plan::Forwarded>> kept(const model::JobSpec& spec,
                                          const std::vector<std::string>& environment,
                                          model::Reach reach) {
  std::vector<plan::Forwarded> result;
  for (const model::App& app : spec.apps) {
    auto one = plan::forwarded(environment, app, spec.clean_env, reach);
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
  auto here = kept(spec, environment, model::Reach::here);
  if (!here) return tl::unexpected(here.error());
  auto remote = kept(spec, environment, model::Reach::ssh);
  if (!remote) return tl::unexpected(remote.error());
  return Prospect{std::move(spec), std::move(inventory), std::move(*placed), std::move(*here),
                  std::move(*remote)};
}

const std::vector<plan::Withheld>& withheld(const Prospect& job) {
  bool remote = false;
  for (const auto& node : job.plan.nodes) remote |= node.host.reach == model::Reach::ssh;
  return (remote ? job.kept_remote : job.kept_here).front().withheld;
}

}  // namespace muster::cli
