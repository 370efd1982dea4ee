// Bounds of the difference of two clocks.
#include "machine/host_clock.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace muster::machine {

using base::Instant;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

std::uint64_t to_wire(Instant when) {
  const auto count = std::chrono::duration_cast<microseconds>(when.time_since_epoch()).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 1));
}

Instant from_wire(std::uint64_t count) {
  return Instant(microseconds(static_cast<std::int64_t>(count)));
}

void HostClock::heard(Instant asked, Instant came, Instant left, Instant answered) {
  const Ahead fresh{asked - came, answered - left};
  // They say to have taken longer than the whole exchange: their clock has jumped, or they lie.
  if (fresh.least > fresh.most) return ahead_.reset();
  Ahead joined = fresh;
  if (ahead_) {
    const Ahead before = widened(answered);
    joined = {std::max(before.least, fresh.least), std::min(before.most, fresh.most)};
  }
  // Bounds that exclude each other: their clock stood still meanwhile, as in a paused machine.
  ahead_ = joined.least <= joined.most ? joined : fresh;
  known_ = answered;
}

void HostClock::is_ours() {
  ahead_ = Ahead{};
  drifts_ = false;
}

HostClock::Ahead HostClock::widened(Instant now) const {
  CHECK(ahead_ && ahead_->least <= ahead_->most);
  const nanoseconds more =
      drifts_ ? std::max(now - known_, nanoseconds(0)) / kDriftShare : nanoseconds(0);
  return {ahead_->least - more, ahead_->most + more};
}

// What their messages say may be nonsense; nothing is heard of before it has happened.
std::optional<Window> HostClock::when(Instant theirs, Instant now) const {
  if (!ahead_ || theirs == Instant{}) return std::nullopt;
  const Ahead ahead = widened(now);
  const Instant latest = std::min(theirs + ahead.most, now);
  return Window{std::min(theirs + ahead.least, latest), latest};
}

}  // namespace muster::machine
