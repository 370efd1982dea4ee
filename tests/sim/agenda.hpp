// Agenda: the virtual clock and what happens when; equal times keep the order in which they were
// set.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "base/time.hpp"

namespace muster::sim {

inline constexpr int kTicksInARow = 50;  // at one time: the machine spins

class Agenda {
 public:
  // Not zero: machines may take zero for "never".
  static constexpr base::Instant kStart{std::chrono::seconds(1000)};

  [[nodiscard]] base::Instant now() const { return now_; }
  [[nodiscard]] base::Duration since_start() const {
    return std::chrono::duration_cast<base::Duration>(now_ - kStart);
  }

  void at(base::Instant when, std::function<void()> what) {
    entries_.emplace(std::max(when, now_), std::move(what));
  }
  void after(base::Duration delay, std::function<void()> what) {
    at(now_ + delay, std::move(what));
  }
  // Does the next thing if it comes before `limit`; false when there is none.
  bool step(base::Instant limit) {
    if (entries_.empty() || entries_.begin()->first > limit) return false;
    auto entry = entries_.extract(entries_.begin());
    now_ = entry.key();
    entry.mapped()();
    return true;
  }

 private:
  base::Instant now_ = kStart;
  std::multimap<base::Instant, std::function<void()>> entries_;
};

}  // namespace muster::sim
