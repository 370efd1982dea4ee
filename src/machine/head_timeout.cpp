// The head at the time limit: it gives notice of it, and may ask what every rank is doing.
#include "machine/head_machine.hpp"
#include "view/signals.hpp"
#include "view/traced.hpp"

namespace muster::machine {

using base::Fault;
using base::NodeIndex;

namespace {

// Open MPI's orte_timeout_for_stack_trace.
constexpr base::Duration kTraceTime = std::chrono::seconds(30);

}  // namespace

// Ranks that start later, in another round, are not told: they could not be ready for the signal.
void HeadMachine::give_notice(HeadEffects& out) {
  if (!notice_at_ || now_ < *notice_at_) return;
  notice_at_.reset();
  if (state_ != State::running) return;
  const model::Notice& notice = *input_.spec.notice;
  report_.notice = notice.signal;
  out.push_back(Say{fmt::format("time is up in {:g} s: all ranks get {}",
                                std::chrono::duration<double>(notice.before).count(),
                                view::signal_label(notice.signal))});
  to_all_running(wire::Signal{notice.signal}, out);
}

void HeadMachine::time_is_up(HeadEffects& out) {
  const model::JobSpec& spec = input_.spec;
  const bool asks = spec.state_at_timeout || spec.stacks_at_timeout;
  if (!asks || state_ != State::running || std::exchange(tracing_, true)) return end_late(out);
  timeout_at_ = now_ + kTraceTime;
  untraced_ = static_cast<std::uint32_t>(tasks_.size()) - ended_;
  out.push_back(Say{fmt::format("time is up; {} of {} ranks have ended", ended_, tasks_.size())});
  to_all_running(wire::Trace{spec.stacks_at_timeout}, out);
}

void HeadMachine::hear(NodeIndex node, wire::Traced& message, HeadEffects& out) {
  if (!tracing_ || stop_sent_ || untraced_ == 0) return;
  const std::int32_t pid = tasks_[message.rank.value].pid;
  out.push_back(Say{
      view::traced(report_.worlds, message.rank, host(node), pid, message.state, message.stack)});
  if (--untraced_ == 0) end_late(out);
}

void HeadMachine::end_late(HeadEffects& out) {
  if (untraced_ > 0) {
    out.push_back(Say{fmt::format("{} rank{} did not tell what they do in time", untraced_,
                                  untraced_ == 1 ? "" : "s")});
  }
  const double seconds = std::chrono::duration<double>(*input_.spec.timeout).count();
  fault({Fault::timeout, fmt::format("the job ran longer than --timeout {:g} s", seconds), {}, {}},
        {}, out);
}

}  // namespace muster::machine
