// CarriedLink: one link, together with the process (ssh, or a fake node's agent) or the connection
// that carries it.
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "head/host_link.hpp"
#include "link/link.hpp"
#include "process/alarm.hpp"
#include "process/child.hpp"

namespace muster::head {

class CarriedLink : public HostLink {
 public:
  // Whom it leads to, and what the words of a diagnosis need to know.
  struct Target {
    base::NodeIndex number;  // the host's, in the head
    std::string host;
    std::string agent_path;
    std::string command;  // first word of the carrier's command
    // What is said of the host elsewhere, where its carrier has no stderr of its own; asked a
    // moment after the link has ended.
    std::function<std::string()> errors = {};
    model::ByHand by_hand = {};  // the way there
  };

  [[nodiscard]] static base::Result<std::unique_ptr<CarriedLink>> start(
      asio::io_context& loop, const std::vector<std::string>& words,
      const std::vector<std::string>& environment, Target target, HostLinkEvents events);
  // A connection at whose other end an agent speaks already: there is no process.
  [[nodiscard]] static std::unique_ptr<CarriedLink> over(asio::io_context& loop,
                                                         process::UniqueFd connection,
                                                         Target target, HostLinkEvents events);
  ~CarriedLink() override;
  CarriedLink(const CarriedLink&) = delete;
  CarriedLink& operator=(const CarriedLink&) = delete;

  void send(base::RunIndex run, const wire::ToAgent& message) override {
    dismissed_ |= run == base::kFirstRun && std::holds_alternative<wire::Bye>(message);
    link_->send(run, message);
  }
  void send(std::shared_ptr<const std::string> frame) override { link_->send(std::move(frame)); }
  [[nodiscard]] bool up() const override { return up_; }
  [[nodiscard]] bool pass_on(base::NodeIndex number, const HostLinkEvents& events) override;
  [[nodiscard]] pid_t process() const override { return child_ && !end_ ? child_->pid() : 0; }
  // It is of no use any more, for a reason that the carrier itself does not end for.
  void give_up(const link::Diagnosis& why);
  // The carrier's stderr so far, bounded.
  [[nodiscard]] std::string errors() const {
    return target_.errors ? target_.errors() : link_->errors();
  }

 private:
  CarriedLink(asio::io_context& loop, Target target, HostLinkEvents events);
  void open_link(asio::io_context& loop, process::ChildPipes pipes);
  void on_closed();
  void on_broken(base::Error error);
  void on_exit(process::ChildEnd end);
  void finish_within(base::Duration limit);
  void finish();

  process::Alarm timer_;
  Target target_;
  HostLinkEvents events_;
  std::unique_ptr<process::Child> child_;
  std::unique_ptr<link::Link> link_;
  std::optional<process::ChildEnd> end_;
  std::optional<base::Error> broken_;
  bool up_ = false;
  bool closed_ = false;
  bool dismissed_ = false;  // its end is no surprise
};

}  // namespace muster::head
