// open_by_command: ssh, or what stands in for it, starts the agent on the host.
#include <algorithm>

#include "head/carried_link.hpp"
#include "head/carriers.hpp"

namespace muster::head {
namespace {

// What people call it: the first word, or the name that a script for the shell has.
std::string name_of(const std::vector<std::string>& words) {
  const auto shell = std::ranges::find(words, "/bin/sh");
  const bool is_script = words.end() - shell > 3 && shell[1] == "-c";
  return is_script ? shell[3] : words.front();
}

}  // namespace

OpenedCarrier open_by_command(const CarrierNeeds& needs, base::NodeIndex node,
                              const model::Host& host, HostLinkEvents events) {
  const std::string& agent = needs.spec.agent_path.empty() ? needs.program : needs.spec.agent_path;
  const auto words = link::carrier_words(needs.spec, host, agent);
  if (!words) return tl::unexpected(words.error());
  return CarriedLink::start(needs.loop, *words, needs.environment,
                            {node, host.name, agent, name_of(*words)}, std::move(events));
}

}  // namespace muster::head
