// Carrier: the process that carries one link (ssh, or a fake node's agent), together with that
// link.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "link/link.hpp"
#include "process/alarm.hpp"
#include "process/child.hpp"

namespace muster::head {

// Each of them may destroy the Carrier that it comes from.
struct CarrierEvents {
  std::function<void()> up;
  std::function<void(base::RunIndex, wire::ToHead)> message;
  std::function<void(base::RunIndex, const wire::OutputView&)> output;
  // The link is of no use any more: the carrier has ended, or its bytes made no sense.
  std::function<void(link::Diagnosis)> ended;
};

class Carrier {
 public:
  // Whom it leads to, and what the words of a diagnosis need to know.
  struct Target {
    base::NodeIndex number;  // the host's, in the head
    std::string host;
    std::string agent_path;
    std::string command;  // first word of the carrier's command
  };

  [[nodiscard]] static base::Result<std::unique_ptr<Carrier>> start(
      asio::io_context& loop, const std::vector<std::string>& words,
      const std::vector<std::string>& environment, Target target, CarrierEvents events);
  // A connection at whose other end an agent speaks already: there is no process.
  [[nodiscard]] static std::unique_ptr<Carrier> over(asio::io_context& loop,
                                                     process::UniqueFd connection, Target target,
                                                     CarrierEvents events);
  ~Carrier();  // ends the process; no event will come any more
  Carrier(const Carrier&) = delete;
  Carrier& operator=(const Carrier&) = delete;

  void send(base::RunIndex run, const wire::ToAgent& message) { link_->send(run, message); }
  void send(std::shared_ptr<const std::string> frame) { link_->send(std::move(frame)); }
  [[nodiscard]] bool up() const { return up_; }

 private:
  Carrier(asio::io_context& loop, Target target, CarrierEvents events);
  void open_link(asio::io_context& loop, process::ChildPipes pipes);
  void on_closed();
  void on_broken(base::Error error);
  void on_exit(process::ChildEnd end);
  void finish_within(base::Duration limit);
  void finish();

  process::Alarm timer_;
  Target target_;
  CarrierEvents events_;
  std::unique_ptr<process::Child> child_;
  std::unique_ptr<link::Link> link_;
  std::optional<process::ChildEnd> end_;
  std::optional<base::Error> broken_;
  bool up_ = false;
  bool closed_ = false;
};

}  // namespace muster::head
