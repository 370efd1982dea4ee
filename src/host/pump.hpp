// Pump: feeds events to a machine one at a time, in order, even when performing an effect makes a
// new event; and keeps a timer on the machine's deadline.
#pragma once

#include <asio/io_context.hpp>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

#include "base/time.hpp"
#include "host/clock.hpp"
#include "process/alarm.hpp"

namespace muster::host {

template <class Event>
class Pump {
 public:
  using Take = std::function<void(base::Instant, Event)>;
  using Deadline = std::function<std::optional<base::Instant>()>;

  // `tick` makes the event for a deadline that has come.
  Pump(asio::io_context& loop, Take take, Deadline deadline, Event tick)
      : timer_(loop), take_(std::move(take)), deadline_(std::move(deadline)), tick_(tick) {}

  void feed(Event event) {
    events_.push_back(std::move(event));
    if (!pumping_) run([] {});
  }

  // Does this first, then takes the events that it made.
  template <class First>
  void run(First first) {
    pumping_ = true;
    first();
    while (!events_.empty()) {
      Event next = std::move(events_.front());
      events_.pop_front();
      take_(now(), std::move(next));
    }
    pumping_ = false;
    arm();
  }

  // Looks at the deadline again, after something but an event has changed it.
  void arm() {
    const auto deadline = deadline_();
    if (deadline == armed_) return;
    armed_ = deadline;
    if (!deadline) return timer_.stop();
    timer_.at(*deadline, [this] {
      armed_.reset();
      feed(tick_);
    });
  }

  void stop() {
    timer_.stop();
    events_.clear();
    deadline_ = [] { return std::nullopt; };
  }

 private:
  process::Alarm timer_;
  Take take_;
  Deadline deadline_;
  Event tick_;
  std::deque<Event> events_;
  std::optional<base::Instant> armed_;
  bool pumping_ = false;
};

}  // namespace muster::host
