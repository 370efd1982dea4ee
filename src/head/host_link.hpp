// HostLink: the head's link to the agent of one host, however it is carried.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>

#include "base/id.hpp"
#include "link/link.hpp"

namespace muster::head {

// Each of them may destroy the HostLink that it comes from.
struct HostLinkEvents {
  std::function<void()> up;
  std::function<void(base::RunIndex, wire::ToHead)> message;
  std::function<void(base::RunIndex, const wire::OutputView&)> output;
  // The link is of no use any more: its carrier has ended, or its bytes made no sense.
  std::function<void(link::Diagnosis)> ended;
};

class HostLink {
 public:
  HostLink() = default;
  virtual ~HostLink() = default;  // ends the carrier; no event will come any more
  HostLink(const HostLink&) = delete;
  HostLink& operator=(const HostLink&) = delete;

  virtual void send(base::RunIndex run, const wire::ToAgent& message) = 0;
  // A frame for several hosts is given to the link of each. Links that share a connection send it
  // once.
  virtual void send(std::shared_ptr<const std::string> frame) = 0;
  [[nodiscard]] virtual bool up() const = 0;
  // Another head goes on with it, which has its own number for the host and hears all that follows.
  // False: it is tied to the head that has opened it.
  [[nodiscard]] virtual bool pass_on(base::NodeIndex /*number*/, const HostLinkEvents& /*events*/) {
    return false;
  }
  // The process on this machine that carries it; 0: there is none.
  [[nodiscard]] virtual pid_t process() const { return 0; }
};

}  // namespace muster::head
