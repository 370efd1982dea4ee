// take_called: the connection over which an agent has come to the head is its link.
#include "head/carried_link.hpp"
#include "head/carriers.hpp"

namespace muster::head {

// Whoever started the agent could start it again; the head cannot.
OpenedCarrier take_called(const CarrierNeeds& needs, base::NodeIndex node, const model::Host& host,
                          HostLinkEvents events) {
  auto connection = needs.joined.extract(node);
  if (connection.empty()) {
    return base::fail(base::Fault::unreachable,
                      "only a new muster lead can have it again, with a new muster join there",
                      "{}: this host has been lost", host.name);
  }
  return CarriedLink::over(needs.loop, std::move(connection.mapped()),
                           {node, host.name, needs.program, "its muster join"}, std::move(events));
}

}  // namespace muster::head
