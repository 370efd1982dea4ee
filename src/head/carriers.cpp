// The table of carriers that need a link.
#include "head/carriers.hpp"

#include <algorithm>
#include <array>

#include "model/carriers.hpp"

namespace muster::head {
namespace {

struct CarrierRow {
  model::Carrier carrier;
  OpenCarrier open;
};

constexpr std::array kCarriers = {
    CarrierRow{model::kFakeNode, open_fake_node}, CarrierRow{model::kContained, open_fake_node},
    CarrierRow{model::kOpened, open_by_command},  CarrierRow{model::kStep, open_by_step},
    CarrierRow{model::kJoined, take_joined},      CarrierRow{model::kCalled, take_called},
    CarrierRow{model::kAsked, ask_head_above}};

}  // namespace

OpenedCarrier open_carrier(const CarrierNeeds& needs, base::NodeIndex node, const model::Host& host,
                           HostLinkEvents events) {
  const auto* row = std::ranges::find(kCarriers, host.carrier, &CarrierRow::carrier);
  if (row != kCarriers.end()) return row->open(needs, node, host, std::move(events));
  return base::fail(base::Fault::internal, {}, "{}: its carrier {} cannot be opened", host.name,
                    host.carrier.word);
}

}  // namespace muster::head
