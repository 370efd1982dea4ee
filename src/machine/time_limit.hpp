// TimeLimit: a run's time limit, the notice before it, and the time after it in which ranks may
// report what they are doing.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "model/job_spec.hpp"

namespace muster::machine {

// Why a run has ended that the batch job around has ended at its time limit.
inline constexpr const char* kBatchJobOver = "the time limit of the batch job around was reached";

class TimeLimit {
 public:
  TimeLimit(std::optional<base::Duration> timeout, std::optional<model::Notice> notice);
  void start(base::Instant now);
  // What is given out ends then, and this run with it, which gives notice if it has no limit of its
  // own before that. Known at any time; a notice whose time has passed is not given.
  void allocation_ends(base::Instant when, base::Instant now);
  // Whoever ends this run from now on does so for that.
  [[nodiscard]] bool is_allocation_over(base::Instant now) const {
    return allocation_ends_ && now >= *allocation_ends_;
  }
  // When something is due; never without a limit or an end.
  [[nodiscard]] std::optional<base::Instant> next() const;

  // True once, when the notice is due.
  [[nodiscard]] bool give_notice(base::Instant now);
  // True from then on.
  [[nodiscard]] bool is_up(base::Instant now) const;

  // So many ranks have been asked: the limit moves by the time that they have to answer.
  void ask(std::uint32_t ranks, base::Instant now);
  [[nodiscard]] bool asked() const { return asked_; }
  // One has answered. True if it was the last; answers that nobody asked for do not count.
  [[nodiscard]] bool answered();
  [[nodiscard]] std::uint32_t unanswered() const { return unanswered_; }
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const TimeLimit&) const = default;

 private:
  std::optional<base::Duration> timeout_;
  std::optional<model::Notice> notice_;
  std::optional<base::Instant> up_at_;
  std::optional<base::Instant> allocation_ends_;
  std::optional<base::Instant> notice_at_;  // none once it has been given
  bool asked_ = false;
  std::uint32_t unanswered_ = 0;
};

}  // namespace muster::machine
