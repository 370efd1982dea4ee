// open_fake_node: an agent process on this machine.
#include "head/carriers.hpp"

namespace muster::head {

OpenedCarrier open_fake_node(const CarrierNeeds& needs, base::NodeIndex node,
                             const model::Host& host, CarrierEvents events) {
  return Carrier::start(needs.loop, {needs.program, "agent"}, needs.environment,
                        {node, host.name, needs.program, "its process"}, std::move(events));
}

}  // namespace muster::head
