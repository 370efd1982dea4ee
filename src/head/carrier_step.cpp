// open_by_step: a step of the Slurm job around starts the agent on the host.
#include <algorithm>
#include <array>
#include <string_view>

#include "head/carried_link.hpp"
#include "head/carriers.hpp"
#include "plan/variable_owner.hpp"

namespace muster::head {
namespace {

// srun takes a whole environment along. What belongs to this host, or to a run around this one,
// would be wrong there; an account is the same on all hosts.
bool stays_here(std::string_view variable) {
  constexpr std::array<std::string_view, 5> kAccount = {"HOME", "USER", "LOGNAME", "SHELL",
                                                        "TMPDIR"};  // which Slurm checks
  const std::string_view name = variable.substr(0, variable.find('='));
  if (name.starts_with("MUSTER_")) return true;
  return plan::belongs(name) == plan::Belongs::to_host && std::ranges::count(kAccount, name) == 0;
}

std::vector<std::string> environment_there(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& one) { return stays_here(one); });
  return link::step_environment(std::move(environment));
}

}  // namespace

OpenedCarrier open_by_step(const CarrierNeeds& needs, base::NodeIndex node, const model::Host& host,
                           HostLinkEvents events) {
  const std::string& agent = needs.spec.agent_path.empty() ? needs.program : needs.spec.agent_path;
  const auto words = link::step_words(needs.spec, host, agent);
  return CarriedLink::start(needs.loop, words, environment_there(needs.environment),
                            {node, host.name, agent, words.front()}, std::move(events));
}

}  // namespace muster::head
