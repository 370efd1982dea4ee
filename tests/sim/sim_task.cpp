// The life of one simulated process.
#include "sim/sim_task.hpp"

#include <algorithm>
#include <csignal>

namespace muster::sim {

namespace {
constexpr Duration kBlockedWriterLooksAgain(20);
}  // namespace

SimTask::SimTask(Agenda& agenda, base::Rank rank, const TaskScript& script, std::uint32_t window,
                 SimTaskEvents events)
    : out(window, events.out_bytes, events.out_ended),
      err(window, events.err_bytes, events.err_ended),
      agenda_(agenda),
      rank_(rank),
      script_(script),
      events_(std::move(events)) {}

void SimTask::not_started() {
  out.writer_gone();
  err.writer_gone();
}

void SimTask::start() {
  alive_ = true;
  if (script_.leaves_process) {
    leftover_ = true;
    out.hold();
    err.hold();
  }
  out.write(script_.out_bytes);
  err.write(script_.err_bytes);
  if (script_.closes_out && out.unwritten() == 0) out.writer_gone();
  if (script_.runs) plan_end(*script_.runs, script_.code, script_.signal, true);
  take_input();
}

void SimTask::plan_end(Duration when, std::int32_t code, std::int32_t signal, bool own) {
  end_ = PlannedEnd{agenda_.now() + when, code, signal, own};
  const std::uint32_t number = ++plan_number_;
  agenda_.after(when, [this, number] {
    if (alive_ && !stopped_ && number == plan_number_) finish_script();
  });
}

// A process that cannot write what it wants to write does not come to its end.
void SimTask::finish_script() {
  const PlannedEnd end = *end_;
  const bool blocked = out.unwritten() + err.unwritten() != 0;
  if (blocked && end.own) {
    return plan_end(kBlockedWriterLooksAgain, end.code, end.signal, true);
  }
  own_end_ = end.own;
  this->end(end.code, end.signal);
}

void SimTask::end(std::int32_t code, std::int32_t signal) {
  if (!alive_) return;
  alive_ = false;
  ++plan_number_;
  if (!silent_) {
    model::RankExit exit;
    exit.rank = rank_;
    exit.pid = static_cast<std::int32_t>(1000 + rank_.value);
    exit.code = code;
    exit.signal = signal;
    events_.exited(exit);
  }
  out.writer_gone();
  err.writer_gone();
  take_input();
}

void SimTask::signal(std::int32_t number) {
  if (!alive_) return;
  switch (number) {
    case SIGKILL:
      return end(0, SIGKILL);
    case SIGSTOP:
      return stop();
    case SIGCONT:
      return go_on();
    case SIGUSR1:
    case SIGUSR2:
      return;
    default:
      break;
  }
  if (stopped_) {
    waiting_signal_ = number;
    return;
  }
  on_end_signal(number);
}

void SimTask::on_end_signal(std::int32_t number) {
  switch (script_.on_term) {
    case OnTerm::dies:
      return end(0, number);
    case OnTerm::exits:
      return plan_end(script_.term_takes, script_.term_code, 0, false);
    case OnTerm::ignores:
      return;
  }
}

void SimTask::stop() {
  if (std::exchange(stopped_, true)) return;
  if (end_) {
    left_ = std::max(Duration(0), std::chrono::duration_cast<Duration>(end_->at - agenda_.now()));
  }
  out.pause(true);
  err.pause(true);
}

void SimTask::go_on() {
  if (!std::exchange(stopped_, false)) return;
  out.pause(false);
  err.pause(false);
  if (end_) plan_end(left_, end_->code, end_->signal, end_->own);
  take_input();
  if (const std::int32_t number = std::exchange(waiting_signal_, 0)) on_end_signal(number);
}

void SimTask::kill_all() {
  end(0, SIGKILL);
  leftover_ = false;
  out.let_go();
  err.let_go();
}

void SimTask::vanish() {
  silent_ = true;
  kill_all();
}

void SimTask::write_input(std::uint64_t count) {
  input_queue_ += count;
  take_input();
}

// Into the pipe, and from it into the task; a task that has ended takes everything and reads
// nothing.
void SimTask::take_input() {
  const bool reads = alive_ && !stopped_ && script_.reads_input;
  if (reads) input_got_ += std::exchange(input_pipe_, 0);
  const std::uint64_t room = alive_ ? kPipeBytes - input_pipe_ : input_queue_;
  const std::uint64_t count = std::min(input_queue_, reads ? input_queue_ : room);
  if (count == 0) return;
  input_queue_ -= count;
  if (reads) {
    input_got_ += count;
  } else if (alive_) {
    input_pipe_ += count;
  }
  events_.input_taken(static_cast<std::uint32_t>(count));
}

}  // namespace muster::sim
