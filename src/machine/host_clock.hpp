// HostClock: the offset of another host's steady clock from ours, as questions and answers show
// it.
//
// A question leaves before it arrives, and so does its answer: each exchange bounds the difference
// of the two clocks from both sides, however unequal the ways there and back were. Bounds of
// several exchanges are joined, and widen as time goes by, since no two clocks run alike.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace muster::machine {

// The least of two clocks' seconds by which one may gain on the other in that many. Crystals differ
// by some 50 millionths, and NTP slews by at most 500: adjtimex(2).
inline constexpr std::int64_t kDriftShare = 2000;

// Something happened on our clock no earlier and no later than this.
struct Window {
  base::Instant earliest{};
  base::Instant latest{};
  bool operator==(const Window&) const = default;
};

// Instants on the wire: microseconds of the sender's steady clock; 0: not told.
[[nodiscard]] std::uint64_t to_wire(base::Instant when);
[[nodiscard]] base::Instant from_wire(std::uint64_t microseconds);

class HostClock {
 public:
  // We asked at `asked` and heard the answer at `answered`; on their clock the question came at
  // `came` and the answer left at `left`. Times that cannot be leave nothing known.
  void heard(base::Instant asked, base::Instant came, base::Instant left, base::Instant answered);
  // Theirs is ours.
  void is_ours();
  // When, on our clock, theirs showed `theirs`, of which we hear at `now`; none: nothing is known.
  [[nodiscard]] std::optional<Window> when(base::Instant theirs, base::Instant now) const;
  bool operator==(const HostClock&) const = default;

 private:
  struct Ahead {  // ours less theirs
    std::chrono::nanoseconds least{0};
    std::chrono::nanoseconds most{0};
    bool operator==(const Ahead&) const = default;
  };
  [[nodiscard]] Ahead widened(base::Instant now) const;

  std::optional<Ahead> ahead_;
  base::Instant known_{};  // when that was so
  bool drifts_ = true;
};

}  // namespace muster::machine
