// ask_head_above: the head above reaches the host for a launcher inside a rank. Where it may not,
// the launcher reaches the host itself.
#include "head/carriers.hpp"

namespace muster::head {

OpenedCarrier ask_head_above(const CarrierNeeds& needs, base::NodeIndex node,
                             const model::Host& host, HostLinkEvents events) {
  return needs.asked.open(node, host, std::move(events), [needs, node, host](HostLinkEvents own) {
    return open_by_command(needs, node, host, std::move(own));
  });
}

}  // namespace muster::head
