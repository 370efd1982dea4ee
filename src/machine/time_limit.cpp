// The instants of a time limit.
#include "machine/time_limit.hpp"

#include "base/check.hpp"

namespace muster::machine {

using base::Instant;

namespace {

// Open MPI's orte_timeout_for_stack_trace.
constexpr base::Duration kTraceTime = std::chrono::seconds(30);

}  // namespace

TimeLimit::TimeLimit(std::optional<base::Duration> timeout, std::optional<model::Notice> notice)
    : timeout_(timeout), notice_(notice) {}

void TimeLimit::start(Instant now) {
  CHECK(!up_at_ && !asked_);  // once
  if (!timeout_) return;
  up_at_ = now + *timeout_;
  if (notice_) notice_at_ = *up_at_ - notice_->before;
}

void TimeLimit::allocation_ends(Instant when, Instant now) {
  allocation_ends_ = when;
  if (!notice_ || (up_at_ && *up_at_ <= when)) return;
  const Instant at = when - notice_->before;
  if (at > now) notice_at_ = at;
}

std::optional<Instant> TimeLimit::next() const { return base::sooner(up_at_, notice_at_); }

bool TimeLimit::give_notice(Instant now) {
  if (!notice_at_ || now < *notice_at_) return false;
  notice_at_.reset();
  return true;
}

bool TimeLimit::is_up(Instant now) const { return up_at_ && now >= *up_at_; }

void TimeLimit::ask(std::uint32_t ranks, Instant now) {
  CHECK(!asked_);
  asked_ = true;
  unanswered_ = ranks;
  up_at_ = now + kTraceTime;
}

bool TimeLimit::answered() {
  if (unanswered_ == 0) return false;
  return --unanswered_ == 0;
}

}  // namespace muster::machine
