// KeptLinks: links that one head of this process has left open for the next, so that a job logs in
// to each of its hosts once, whatever goes there before its ranks start and comes back afterwards.
//
// kept ──take()──▶ a head's, which greets ──its first answer──▶ the run that kept the agent is over
//
// Between two heads nobody listens; the agent has no lease then, and ends when the link closes, as
// it does when this process ends.
#pragma once

#include <algorithm>
#include <asio/io_context.hpp>
#include <list>
#include <memory>

#include "base/id.hpp"
#include "head/host_link.hpp"
#include "model/inventory.hpp"

namespace muster::head {

class KeptLinks {
 public:
  KeptLinks() = default;
  ~KeptLinks() { say_goodbye(); }
  KeptLinks(const KeptLinks&) = delete;
  KeptLinks& operator=(const KeptLinks&) = delete;

  // What all links and all these heads run on, one head at a time.
  [[nodiscard]] asio::io_context& loop() { return loop_; }

  // Before a head begins: those that have ended meanwhile go.
  void look();
  // The number of the next head's first run: what links have carried before has lower ones.
  [[nodiscard]] base::RunIndex next() const {
    return kept_.empty() ? base::kFirstRun : base::RunIndex(last_.value + 1);
  }
  // A head has ended; its runs were numbered up to this.
  void used(base::RunIndex last) { last_ = std::max(last_, last); }

  // `number`: the host's in the head that leaves it. `run`: the one that keeps the agent there. A
  // link that is tied to its head ends.
  void keep(const model::Host& host, const model::CarrierSpec& carrier, base::NodeIndex number,
            base::RunIndex run, std::unique_ptr<HostLink> link);
  // The same host, reached the same way; null: there is none. `number`: the host's in the new head,
  // which hears `events`. The link is up.
  [[nodiscard]] std::unique_ptr<HostLink> take(const model::Host& host,
                                               const model::CarrierSpec& carrier,
                                               base::NodeIndex number,
                                               const HostLinkEvents& events);

  // Agents are given a second to end; then their links are closed.
  void say_goodbye();

 private:
  struct Kept {
    model::Host host;
    model::CarrierSpec carrier;
    base::RunIndex run;
    std::unique_ptr<HostLink> link;
    bool ended = false;
  };

  asio::io_context loop_{1};  // outlives the links
  std::list<Kept> kept_;
  base::RunIndex last_;
};

}  // namespace muster::head
