// ReaderPatience: how long a run that is being stopped waits for whoever reads its output.
//
// A reader that takes nothing must not keep ranks from being ended: what they have printed last is
// waited for during the grace of the stop, or for a moment after it is to happen at once. One that
// reads on gets a while longer.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace muster::machine {

class ReaderPatience {
 public:
  // What a busy machine may make of "at once".
  static constexpr base::Duration kSilence = std::chrono::seconds(2);
  // Beyond that, while it reads: less than hosts are given to stop.
  static constexpr base::Duration kReadsOn = std::chrono::seconds(2);

  // How far the reader has come.
  struct Reading {
    std::uint64_t taken = 0;  // bytes
    bool waits = false;       // there is more for it
    bool operator==(const Reading&) const = default;
  };

  // Told again with a shorter grace, that counts.
  void stop(base::Duration grace, base::Instant now, Reading so_far);
  // Nothing else has to be waited for any more: whoever reads may go on.
  void only_reader_left(base::Instant now, Reading so_far);
  void look(base::Instant now, Reading so_far);
  // When to look again.
  [[nodiscard]] std::optional<base::Instant> deadline() const { return look_at_; }
  [[nodiscard]] bool over() const { return over_; }
  bool operator==(const ReaderPatience&) const = default;

 private:
  std::optional<base::Instant> look_at_;
  std::optional<base::Instant> last_;
  Reading seen_;
  bool over_ = false;
  bool is_silent_ = false;  // why it is over
};

}  // namespace muster::machine
