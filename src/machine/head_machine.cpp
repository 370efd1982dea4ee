// Takes events to hosts and run, and the run's wishes to hosts.
#include "machine/head_machine.hpp"

#include <algorithm>
#include <csignal>

#include "base/check.hpp"
#include "plan/roles.hpp"

namespace muster::machine {

using base::Duration;
using base::Instant;
using base::NodeIndex;

namespace {

constexpr Duration kLeaveTime = std::chrono::seconds(1);

Hosts hosts_of(const RunInput& input) {
  const model::JobSpec& spec = input.spec;
  Hosts hosts({input.job, spec.carrier, spec.lease, spec.grace, input.survey});
  for (const model::PlannedNode& node : input.plan.nodes) {
    (void)hosts.add(node.host, plan::ports_wanted(spec, node));
  }
  return hosts;
}

bool asks_for_hosts(const RunEffects& wishes) {
  return std::ranges::any_of(
      wishes, [](const RunEffect& one) { return std::holds_alternative<NeedHost>(one); });
}

}  // namespace

HeadMachine::HeadMachine(RunInput input) : hosts_(hosts_of(input)), run_(std::move(input)) {}

template <class Does>
void HeadMachine::let_run(Does does, HeadEffects& out) {
  RunEffects wishes;
  does(wishes);
  for (RunEffect& wish : wishes) {
    std::visit([&](auto& one) { carry_out(one, out); }, wish);
  }
  if (asks_for_hosts(wishes)) hosts_.go_on(now_, out);
  if (run_.over() && !leave_by_) leave_by_ = now_ + kLeaveTime;
  finish_when_left(out);
}

void HeadMachine::start(Instant now, HeadEffects& out) {
  now_ = now;
  let_run([&](RunEffects& wishes) { run_.start(now, wishes); }, out);
}

void HeadMachine::step(Instant now, HeadEvent event, HeadEffects& out) {
  now_ = now;
  if (finished_) return;
  std::visit([&](auto& one) { on(one, out); }, event);
}

std::optional<Instant> HeadMachine::deadline() const {
  if (finished_) return std::nullopt;
  auto soonest = base::sooner(hosts_.next_beat(), hosts_.next_opening());
  soonest = base::sooner(soonest, leave_by_);
  return base::sooner(soonest, run_.deadline());
}

// ---- links ------------------------------------------------------------------------------------

void HeadMachine::on(LinkUp& event, HeadEffects& out) {
  if (run_.up(event.node)) hosts_.up(event.node, now_, out);
}

void HeadMachine::on(LinkFailed& event, HeadEffects& out) {
  if (!hosts_.link(event.node)) return;
  auto error = hosts_.failed(event, now_, out);
  if (!error) return;
  let_run([&](RunEffects& wishes) { run_.missed(event.node, std::move(*error), now_, wishes); },
          out);
}

void HeadMachine::on(LinkLost& event, HeadEffects& out) {
  hosts_.lost(event.node);
  let_run([&](RunEffects& wishes) { run_.lost(event.node, std::move(event.error), now_, wishes); },
          out);
}

void HeadMachine::on(Heard& event, HeadEffects& out) {
  hosts_.heard(event.node, now_);
  if (auto* pong = std::get_if<wire::Pong>(&event.message)) {
    return hosts_.pong(event.node, *pong, now_);
  }
  if (auto* message = std::get_if<wire::Welcome>(&event.message)) {
    return welcome(event.node, *message, out);
  }
  let_run(
      [&](RunEffects& wishes) {
        run_.heard(event.node, std::move(event.message), hosts_.clock_of(event.node), now_, wishes);
      },
      out);
}

void HeadMachine::welcome(NodeIndex node, wire::Welcome& message, HeadEffects& out) {
  if (!run_.awaits(node)) return;
  auto accepted = hosts_.welcome(node, message, now_, out);
  let_run(
      [&](RunEffects& wishes) {
        if (!accepted) return run_.missed(node, std::move(accepted.error()), now_, wishes);
        run_.greeted(node, *hosts_.facts(node), hosts_.shared(node), now_, wishes);
      },
      out);
}

void HeadMachine::on(Printed& event, HeadEffects&) {
  hosts_.heard(event.node, now_);
  run_.printed(event.node, event.rank, event.errors);
}

// ---- people -----------------------------------------------------------------------------------

void HeadMachine::on(UserSignal& event, HeadEffects& out) {
  switch (event.number) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
      return let_run([&](RunEffects& wishes) { run_.interrupt(event.number, now_, wishes); }, out);
    case SIGTSTP:
      return suspend(out);
    default:
      return forward(event.number, out);
  }
}

void HeadMachine::forward(std::int32_t number, HeadEffects& out) {
  if (number == SIGCONT) {
    hosts_.woke(now_);
    to_leased(wire::Suspend{false}, out);
  }
  let_run([&](RunEffects& wishes) { run_.signal(number, wishes); }, out);
}

void HeadMachine::suspend(HeadEffects& out) {
  // SIGSTOP, since the kernel ignores SIGTSTP in a session without a terminal.
  let_run([&](RunEffects& wishes) { run_.signal(SIGSTOP, wishes); }, out);
  to_leased(wire::Suspend{true}, out);
  hosts_.sleep();
  out.push_back(SuspendSelf{});
}

void HeadMachine::on(InputBytes& event, HeadEffects& out) {
  let_run([&](RunEffects& wishes) { run_.input(event.bytes, wishes); }, out);
}

void HeadMachine::on(InputEnded&, HeadEffects& out) {
  let_run([&](RunEffects& wishes) { run_.input_ended(wishes); }, out);
}

void HeadMachine::on(OutputClosed&, HeadEffects& out) {
  let_run([&](RunEffects& wishes) { run_.output_closed(now_, wishes); }, out);
}

void HeadMachine::on(GlooServed& event, HeadEffects& out) {
  let_run([&](RunEffects& wishes) { run_.gloo_served(std::move(event.at), now_, wishes); }, out);
}

// ---- time -------------------------------------------------------------------------------------

void HeadMachine::on(HeadTick&, HeadEffects& out) {
  end_overdue(out);
  hosts_.tick(now_, out);
  keep_alive(out);
  let_run([&](RunEffects& wishes) { run_.tick(now_, wishes); }, out);
  if (!leave_by_ || now_ < *leave_by_) return;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) hosts_.close(NodeIndex(i), out);
  finish_when_left(out);
}

void HeadMachine::end_overdue(HeadEffects& out) {
  for (auto& [node, error] : hosts_.overdue(now_)) {
    if (!hosts_.waits_for(node)) continue;  // the loss of another has ended all
    hosts_.close(node, out);
    let_run([&](RunEffects& wishes) { run_.missed(node, std::move(error), now_, wishes); }, out);
  }
}

void HeadMachine::keep_alive(HeadEffects& out) {
  if (!hosts_.beat(now_)) return;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const NodeIndex node(i);
    if (!leased(node)) continue;
    auto error = hosts_.silent(node, now_);
    if (!error) {
      hosts_.ping(node, now_, out);
      continue;
    }
    hosts_.close(node, out);
    let_run([&](RunEffects& wishes) { run_.lost(node, std::move(*error), now_, wishes); }, out);
  }
}

// Agents that end their tasks, or themselves, when they hear nothing.
void HeadMachine::to_leased(const wire::ToAgent& message, HeadEffects& out) const {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    if (leased(NodeIndex(i))) out.push_back(ToNode{NodeIndex(i), message});
  }
}

bool HeadMachine::leased(NodeIndex node) const {
  return hosts_.linked(node) && run_.keeps(node, now_);
}

// ---- what the run wants -----------------------------------------------------------------------

void HeadMachine::carry_out(NeedHost& wish, HeadEffects& out) { hosts_.open(wish.node, now_, out); }

void HeadMachine::carry_out(GreetHost& wish, HeadEffects& out) {
  hosts_.greet(wish.node, now_, out);
}

void HeadMachine::carry_out(AskHost& wish, HeadEffects& out) { hosts_.ping(wish.node, now_, out); }

void HeadMachine::carry_out(NotAwaited& wish, HeadEffects&) { hosts_.settle(wish.node); }

void HeadMachine::carry_out(DropHost& wish, HeadEffects& out) { hosts_.close(wish.node, out); }

void HeadMachine::carry_out(FreeHost& wish, HeadEffects& out) {
  out.push_back(ToNode{wish.node, std::move(wish.bye)});
}

void HeadMachine::carry_out(AddHost& wish, HeadEffects& out) {
  const NodeIndex node = hosts_.add(wish.host, 0);
  CHECK(node == wish.node);
  out.push_back(std::move(wish));
}

void HeadMachine::finish_when_left(HeadEffects& out) {
  if (finished_ || !leave_by_ || hosts_.any_link()) return;
  finished_ = true;
  out.push_back(Finish{});
}

}  // namespace muster::machine
