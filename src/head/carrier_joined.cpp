// take_joined: the connection over which a node has come is its link.
#include "head/carried_link.hpp"
#include "head/carriers.hpp"

namespace muster::head {

// A connection that has been lost cannot be made anew from here.
OpenedCarrier take_joined(const CarrierNeeds& needs, base::NodeIndex node, const model::Host& host,
                          HostLinkEvents events) {
  auto connection = needs.joined.extract(node);
  if (connection.empty()) {
    return base::fail(base::Fault::unreachable, {}, "{}: its connection has been lost", host.name);
  }
  return CarriedLink::over(needs.loop, std::move(connection.mapped()),
                           {node, host.name, needs.program, "its muster"}, std::move(events));
}

}  // namespace muster::head
