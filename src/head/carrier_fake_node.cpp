// open_fake_node: an agent process on this machine, which also starts containers here.
#include "head/carried_link.hpp"
#include "head/carriers.hpp"

namespace muster::head {

OpenedCarrier open_fake_node(const CarrierNeeds& needs, base::NodeIndex node,
                             const model::Host& host, HostLinkEvents events) {
  return CarriedLink::start(needs.loop, {needs.program, "agent"}, needs.environment,
                            {node, host.name, needs.program, "its process"}, std::move(events));
}

}  // namespace muster::head
