// EndWish: whether a signal asks for the end once more, or is the same wish by another way.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace muster::machine {

class EndWish {
 public:
  // Whoever ends a batch job signals all of its processes, and those that hear it pass it on: a
  // SIGTERM or SIGHUP that comes that soon after the first signal is no second wish. What a person
  // types (SIGINT, SIGQUIT) always counts.
  static constexpr base::Duration kOneWish = std::chrono::seconds(3);

  // True if the end is asked for again.
  [[nodiscard]] bool hear(std::int32_t number, base::Instant now);
  // It is wished, by no signal.
  void note(base::Instant now);
  [[nodiscard]] bool is_there() const { return first_.has_value(); }
  bool operator==(const EndWish&) const = default;

 private:
  std::optional<base::Instant> first_;
};

}  // namespace muster::machine
