// SimLink: the two directions of one link; each keeps its order, may stall, and may be cut.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "sim/agenda.hpp"
#include "sim/dice.hpp"
#include "sim/scenario.hpp"

namespace muster::sim {

class OneWay {
 public:
  OneWay(Agenda& agenda, Dice dice, Duration latency, Duration jitter)
      : agenda_(agenda), dice_(dice), latency_(latency), jitter_(jitter) {}

  // `arrives` is called at the other end, after all that was sent before.
  void send(std::function<void()> arrives) {
    if (cut_) return;
    arrival_ = std::max(arrival_, agenda_.now() + latency_ + dice_.between(Duration(0), jitter_));
    agenda_.at(arrival_, [this, arrives = std::move(arrives)] {
      if (deaf_) return;
      if (!stalled_) return arrives();
      held_.push_back(arrives);
    });
  }
  // Nothing sent from now on arrives.
  void cut() { cut_ = true; }
  // Nothing at all arrives from now on.
  void deafen() { deaf_ = cut_ = true; }
  void stall() { stalled_ = true; }
  void go_on() {
    stalled_ = false;
    std::vector<std::function<void()>> held;
    held.swap(held_);
    for (const auto& arrives : held) {
      if (!deaf_) arrives();
    }
  }

 private:
  Agenda& agenda_;
  Dice dice_;
  Duration latency_;
  Duration jitter_;
  base::Instant arrival_{};
  std::vector<std::function<void()>> held_;
  bool cut_ = false;
  bool deaf_ = false;
  bool stalled_ = false;
};

}  // namespace muster::sim
