// open_by_command: ssh, or what stands in for it, starts the agent on the host.
#include "head/carried_link.hpp"
#include "head/carriers.hpp"
#include "model/carrier_flags.hpp"

namespace muster::head {

OpenedCarrier open_by_command(const CarrierNeeds& needs, base::NodeIndex node,
                              const model::Host& host, HostLinkEvents events) {
  const std::string& agent = needs.spec.agent_path.empty() ? needs.program : needs.spec.agent_path;
  const auto words = link::carrier_words(needs.spec, host, agent);
  if (!words) return tl::unexpected(words.error());
  return CarriedLink::start(
      needs.loop, *words, needs.environment,
      {node, host.name, agent, model::carrier_name(*words), {}, model::ByHand(needs.spec, host)},
      std::move(events));
}

}  // namespace muster::head
