// Looks from time to time whether the reader has taken something.
#include "machine/reader_patience.hpp"

#include <algorithm>

namespace muster::machine {

using base::Duration;
using base::Instant;

void ReaderPatience::stop(Duration grace, Instant now, Reading so_far) {
  if (over_) return;
  const Instant look_at = now + std::max(grace, kSilence);
  if (look_at_ && *look_at_ <= look_at) return;
  seen_ = so_far;
  look_at_ = look_at;
  last_ = look_at + kReadsOn;
}

void ReaderPatience::only_reader_left(Instant now, Reading so_far) {
  if (!last_) return;  // nobody has been told to stop
  last_ = Instant::max();
  if (!over_ || is_silent_) return;
  over_ = false;
  seen_ = so_far;
  look_at_ = now + kSilence;
}

void ReaderPatience::look(Instant now, Reading so_far) {
  if (!look_at_ || now < *look_at_) return;
  is_silent_ = so_far.waits && so_far.taken == seen_.taken;
  over_ = is_silent_ || now >= *last_;
  seen_ = so_far;
  look_at_.reset();
  if (!over_) look_at_ = std::min(now + kSilence, *last_);
}

}  // namespace muster::machine
