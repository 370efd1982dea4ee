// AskedLinks: links of a launcher inside a rank to hosts that the head above it reaches. They share
// one connection, which is made for the first of them.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "head/host_link.hpp"
#include "link/link_above.hpp"
#include "model/inventory.hpp"

namespace muster::head {

class AskedLinks {
 public:
  // `socket`: where the head above is asked.
  AskedLinks(asio::io_context& loop, std::string socket)
      : loop_(loop), socket_(std::move(socket)) {}

  using Opened = base::Result<std::unique_ptr<HostLink>>;
  // Reaches a host that is none of the job above: the launcher's own way.
  using OwnWay = std::function<Opened(HostLinkEvents events)>;
  // `number`: of the host, in this head. The link must not outlive this.
  [[nodiscard]] Opened open(base::NodeIndex number, const model::Host& host, HostLinkEvents events,
                            OwnWay own_way);

 private:
  class Asked;

  base::Result<void> connect();
  void take(base::NodeIndex number, base::RunIndex run, wire::ToHead message);
  void end(base::NodeIndex number, base::Error error);
  void end_all(const base::Error& error);

  asio::io_context& loop_;
  std::string socket_;
  std::map<base::NodeIndex, Asked*> links_;  // those that have not ended
  std::optional<link::LinkAbove> above_;
  std::optional<base::Error> gone_;  // why it is of no use any more
};

}  // namespace muster::head
