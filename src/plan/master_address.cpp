// Looks for a loopback address among the variables that ranks on other machines get.
#include "plan/master_address.hpp"

#include <algorithm>

#include "base/loopback.hpp"

namespace muster::plan {
namespace {

bool is_on_several_machines(const model::Plan& plan) {
  return plan.nodes.size() > 1 &&
         std::ranges::any_of(plan.nodes, [](const model::PlannedNode& node) {
           return !node.host.carrier.same_machine;
         });
}

}  // namespace

base::Result<std::string> check_master_address(const model::JobSpec& spec, const model::Plan& plan,
                                               const Kept& kept) {
  constexpr std::string_view kMasterAddress = "MASTER_ADDR";
  constexpr const char* kHint =
      "leave it out: muster gives the ranks an address at which the other hosts reach the first";
  if (!is_on_several_machines(plan)) return std::string();
  for (const Forwarded& app : kept.elsewhere) {
    const auto found = std::ranges::find(app.kept, kMasterAddress, &model::Variable::name);
    if (found == app.kept.end() || !base::is_loopback(found->value)) continue;
    const std::string what = fmt::format(
        "ranks on {} hosts cannot meet at MASTER_ADDR={}: each host takes it for itself",
        plan.nodes.size(), found->value);
    if (spec.torch_store) return base::fail(base::Fault::usage, kHint, "{}", what);
    return fmt::format("{}; {}", what, kHint);
  }
  return std::string();
}

}  // namespace muster::plan
