// open_by_step: a step of the Slurm job around starts the agent on the host.
#include "head/step_links.hpp"

namespace muster::head {

OpenedCarrier open_by_step(const CarrierNeeds& needs, base::NodeIndex node, const model::Host& host,
                           HostLinkEvents events) {
  return needs.steps.open(needs, node, host, std::move(events));
}

}  // namespace muster::head
