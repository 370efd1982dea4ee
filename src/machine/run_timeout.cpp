// A run at its time limit: it gives notice of it, and may ask what every rank is doing.
#include <algorithm>

#include "machine/run.hpp"
#include "view/signals.hpp"
#include "view/traced.hpp"

namespace muster::machine {

using base::Fault;
using base::NodeIndex;

// Ranks that start later, in another round, are not told: they could not be ready for the signal.
void Run::give_notice(RunEffects& out) {
  if (!time_limit_.give_notice(now_) || state_ != State::running) return;
  const model::Notice& notice = *input_.spec.notice;
  verdict_.gave_notice(notice.signal);
  tell(model::NoticeGiven{notice.signal, notice.before}, out);
  to_all_running(wire::Signal{notice.signal}, out);
}

// Ranks that have started already hear of it by the notice alone.
void Run::allocation_ends(const AllocationEnds& told, base::Instant now) {
  now_ = now;
  if (over()) return;
  input_.deadline = std::min(input_.deadline.value_or(told.at), told.at);
  time_limit_.allocation_ends(now + told.left, now);
}

void Run::time_is_up(RunEffects& out) {
  const model::JobSpec& spec = input_.spec;
  const bool asks = spec.state_at_timeout || spec.stacks_at_timeout;
  if (!asks || state_ != State::running || time_limit_.asked()) return end_late(out);
  time_limit_.ask(ranks_.alive(), now_);
  tell(model::TimeUp{ranks_.ended(), ranks_.size()}, out);
  to_all_running(wire::Trace{spec.stacks_at_timeout}, out);
}

void Run::hear(NodeIndex, wire::Traced& message, RunEffects& out) {
  if (stop_ || time_limit_.unanswered() == 0) return;
  std::string rank = fmt::format("{}, pid {}", name_of(message.rank), ranks_.pid(message.rank));
  tell(model::RankTraced{std::move(rank), message.state, message.stack}, out);
  if (time_limit_.answered()) end_late(out);
}

void Run::end_late(RunEffects& out) {
  if (const std::uint32_t silent = time_limit_.unanswered(); silent > 0) {
    tell(model::TracesMissing{silent}, out);
  }
  const double seconds = std::chrono::duration<double>(*input_.spec.timeout).count();
  fault({Fault::timeout,
         fmt::format("the job ran longer than its time limit of {:g} s", seconds),
         {},
         {}},
        {}, out);
}

}  // namespace muster::machine
