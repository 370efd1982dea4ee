// carriers: how each carrier opens a link; one function for each, and a table of their names.
#pragma once

#include <asio/io_context.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "head/asked_links.hpp"
#include "head/host_link.hpp"
#include "model/inventory.hpp"
#include "process/unique_fd.hpp"

namespace muster::head {

class StepLinks;

// Borrowed from the head, until its links have gone.
struct CarrierNeeds {
  asio::io_context& loop;
  const model::CarrierSpec& spec;
  const std::string& program;                            // path of this program
  const std::vector<std::string>& environment;           // of this process
  std::map<base::NodeIndex, process::UniqueFd>& joined;  // connections that wait to be taken over
  AskedLinks& asked;
  StepLinks& steps;
};

// Nobody tries again after an error of these.
using OpenedCarrier = base::Result<std::unique_ptr<HostLink>>;
using OpenCarrier = OpenedCarrier (*)(const CarrierNeeds& needs, base::NodeIndex node,
                                      const model::Host& host, HostLinkEvents events);

[[nodiscard]] OpenedCarrier open_fake_node(const CarrierNeeds& needs, base::NodeIndex node,
                                           const model::Host& host, HostLinkEvents events);
[[nodiscard]] OpenedCarrier open_by_command(const CarrierNeeds& needs, base::NodeIndex node,
                                            const model::Host& host, HostLinkEvents events);
[[nodiscard]] OpenedCarrier open_by_step(const CarrierNeeds& needs, base::NodeIndex node,
                                         const model::Host& host, HostLinkEvents events);
[[nodiscard]] OpenedCarrier take_joined(const CarrierNeeds& needs, base::NodeIndex node,
                                        const model::Host& host, HostLinkEvents events);
[[nodiscard]] OpenedCarrier take_called(const CarrierNeeds& needs, base::NodeIndex node,
                                        const model::Host& host, HostLinkEvents events);
[[nodiscard]] OpenedCarrier ask_head_above(const CarrierNeeds& needs, base::NodeIndex node,
                                           const model::Host& host, HostLinkEvents events);

// By the host's carrier, which needs a link.
[[nodiscard]] OpenedCarrier open_carrier(const CarrierNeeds& needs, base::NodeIndex node,
                                         const model::Host& host, HostLinkEvents events);

}  // namespace muster::head
