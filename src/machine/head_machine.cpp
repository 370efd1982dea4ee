// Takes events to hosts and runs, and the runs' wishes to hosts.
#include "machine/head_machine.hpp"

#include <algorithm>
#include <csignal>

#include "base/check.hpp"

namespace muster::machine {

using base::Duration;
using base::Error;
using base::Fault;
using base::Instant;
using base::NodeIndex;
using base::RunIndex;

namespace {

constexpr Duration kLeaveTime = std::chrono::seconds(1);

Hosts::Options options_of(const model::JobSpec& spec) {
  return {spec.carrier, spec.lease, spec.grace};
}

bool asks_for_hosts(const RunEffects& wishes) {
  return std::ranges::any_of(
      wishes, [](const RunEffect& one) { return std::holds_alternative<NeedHost>(one); });
}

}  // namespace

// ---- runs -------------------------------------------------------------------------------------

HeadMachine::HeadMachine(RunInput input) : hosts_(options_of(input.spec)) {
  HeadEffects none;
  enroll(std::move(input), {}, none);
}

HeadMachine::Member& HeadMachine::member(RunIndex index) {
  CHECK(index.value >= 1 && index.value <= runs_.size());
  return runs_[index.value - 1];
}

HeadMachine::Member* HeadMachine::user(RunIndex index, NodeIndex host) {
  const bool known = index.value >= 1 && index.value <= runs_.size();
  return known && member(index).uses.contains(host) ? &member(index) : nullptr;
}

const Run& HeadMachine::run(RunIndex index) const {
  CHECK(index.value >= 1 && index.value <= runs_.size());
  return runs_[index.value - 1].run;
}

HeadMachine::Member& HeadMachine::enroll(RunInput input, std::optional<RunIndex> within,
                                         HeadEffects& out) {
  std::vector<NodeIndex> hosts;
  hosts.reserve(input.plan.nodes.size());
  for (const model::PlannedNode& node : input.plan.nodes) {
    hosts.push_back(host_for(hosts, node.host, out));
  }
  Member& added =
      runs_.emplace_back(Member{RunIndex(runs_.size() + 1), Run(std::move(input)), within});
  for (const NodeIndex host : hosts) use(added, host);
  return added;
}

// As its next node.
void HeadMachine::use(Member& member, NodeIndex host) {
  CHECK(member.uses.emplace(host, NodeIndex(member.hosts.size())).second);
  member.hosts.push_back(host);
}

// Another run may use it already. The hosts of one plan differ, even where they have the same name.
NodeIndex HeadMachine::host_for(const std::vector<NodeIndex>& ours, const model::Host& host,
                                HeadEffects& out) {
  const auto known = runs_.empty() ? std::nullopt : hosts_.find(host);
  if (known && std::ranges::find(ours, *known) == ours.end()) return *known;
  const NodeIndex added = hosts_.add(host);
  out.push_back(AddHost{added, host});
  return added;
}

bool HeadMachine::in_use(NodeIndex host) const {
  return std::ranges::any_of(runs_, [&](const Member& one) { return one.uses.contains(host); });
}

template <class Does>
void HeadMachine::let(Member& member, Does does, HeadEffects& out) {
  RunEffects wishes;
  does(member.run, wishes);
  for (RunEffect& wish : wishes) {
    std::visit([&](auto& one) { carry_out(member, one, out); }, wish);
  }
  if (asks_for_hosts(wishes)) hosts_.go_on(now_, out);
  if (!member.run.over() || std::exchange(member.told_over, true)) return finish_when_left(out);
  out.push_back(RunOver{member.index});
  end_those_within(member.index, out);
  if (std::ranges::all_of(runs_, &Member::told_over)) leave_by_ = now_ + kLeaveTime;
  finish_when_left(out);
}

template <class Does>
void HeadMachine::let_all(Does does, HeadEffects& out) {
  for (Member& one : runs_) {
    if (!one.run.over()) let(one, does, out);
  }
}

template <class Does>
void HeadMachine::let_users(NodeIndex host, Does does, HeadEffects& out) {
  for (Member& one : runs_) {
    const auto used = one.uses.find(host);
    if (used == one.uses.end()) continue;
    const NodeIndex node = used->second;
    let(
        one, [&](Run& run, RunEffects& wishes) { does(run, node, wishes); }, out);
  }
}

void HeadMachine::end_those_within(RunIndex outer, HeadEffects& out) {
  for (Member& one : runs_) {
    if (one.within != outer || one.run.over()) continue;
    let(
        one, [&](Run& run, RunEffects& wishes) { run.interrupt(SIGTERM, now_, wishes); }, out);
  }
}

void HeadMachine::start(Instant now, HeadEffects& out) {
  now_ = now;
  let(
      runs_.front(), [&](Run& run, RunEffects& wishes) { run.start(now, wishes); }, out);
}

RunIndex HeadMachine::add(RunInput input, std::optional<RunIndex> within, Instant now,
                          HeadEffects& out) {
  CHECK(!finished_);
  now_ = now;
  leave_by_.reset();
  Member& added = enroll(std::move(input), within, out);
  let(
      added, [&](Run& run, RunEffects& wishes) { run.start(now, wishes); }, out);
  return RunIndex(runs_.size());
}

void HeadMachine::step(Instant now, HeadEvent event, HeadEffects& out) {
  now_ = now;
  if (finished_) return;
  std::visit([&](auto& one) { on(one, out); }, event);
}

std::optional<Instant> HeadMachine::deadline() const {
  if (finished_) return std::nullopt;
  auto soonest = base::sooner(hosts_.next_beat(), hosts_.next_opening());
  for (const Member& one : runs_) soonest = base::sooner(soonest, one.run.deadline());
  return base::sooner(soonest, leave_by_);
}

// ---- links ------------------------------------------------------------------------------------

void HeadMachine::on(LinkUp& event, HeadEffects& out) {
  if (!in_use(event.node)) return;
  hosts_.up(event.node, now_);
  let_users(
      event.node, [](Run& run, NodeIndex node, RunEffects& wishes) { run.up(node, wishes); }, out);
}

void HeadMachine::on(LinkFailed& event, HeadEffects& out) {
  if (!hosts_.link(event.node)) return;
  if (const auto error = hosts_.failed(event, now_, out)) missed(event.node, *error, out);
}

void HeadMachine::missed(NodeIndex host, const Error& error, HeadEffects& out) {
  let_users(
      host,
      [&](Run& run, NodeIndex node, RunEffects& wishes) { run.missed(node, error, now_, wishes); },
      out);
}

void HeadMachine::on(LinkLost& event, HeadEffects& out) {
  hosts_.lost(event.node);
  lost(event.node, event.error, out);
}

void HeadMachine::lost(NodeIndex host, const Error& error, HeadEffects& out) {
  let_users(
      host,
      [&](Run& run, NodeIndex node, RunEffects& wishes) {
        // One that has left may have been asked for again since.
        if (run.needs(node)) return wishes.push_back(NeedHost{node});
        run.lost(node, error, now_, wishes);
      },
      out);
  finish_when_left(out);
}

void HeadMachine::on(Heard& event, HeadEffects& out) {
  hosts_.heard(event.node, now_);
  if (auto* pong = std::get_if<wire::Pong>(&event.message)) {
    return hosts_.pong(event.node, event.run, *pong, now_);
  }
  Member* said = user(event.run, event.node);
  if (said == nullptr) return;
  if (const auto* message = std::get_if<wire::Welcome>(&event.message)) {
    return welcome(*said, event, *message, out);
  }
  const NodeIndex node = said->uses.at(event.node);
  let(
      *said,
      [&](Run& run, RunEffects& wishes) {
        run.heard(node, std::move(event.message), hosts_.clock_of(event.node), now_, wishes);
      },
      out);
}

void HeadMachine::welcome(Member& member, const Heard& event, const wire::Welcome& message,
                          HeadEffects& out) {
  const NodeIndex node = member.uses.at(event.node);
  if (!member.run.awaits(node)) return;
  auto accepted = hosts_.welcome(event.node, event.run, message, now_, out);
  let(
      member,
      [&](Run& run, RunEffects& wishes) {
        if (!accepted) return run.missed(node, std::move(accepted.error()), now_, wishes);
        run.greeted(node, message.facts, message.shared, now_, wishes);
      },
      out);
}

void HeadMachine::on(Printed& event, HeadEffects&) {
  hosts_.heard(event.node, now_);
  Member* said = user(event.run, event.node);
  if (said != nullptr) said->run.printed(said->uses.at(event.node), event.rank, event.errors);
}

// ---- people -----------------------------------------------------------------------------------

void HeadMachine::on(UserSignal& event, HeadEffects& out) {
  switch (event.number) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
      return let_all(
          [&](Run& run, RunEffects& wishes) { run.interrupt(event.number, now_, wishes); }, out);
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
  let_all([&](Run& run, RunEffects& wishes) { run.signal(number, wishes); }, out);
}

void HeadMachine::suspend(HeadEffects& out) {
  // SIGSTOP, since the kernel ignores SIGTSTP in a session without a terminal.
  let_all([&](Run& run, RunEffects& wishes) { run.signal(SIGSTOP, wishes); }, out);
  to_leased(wire::Suspend{true}, out);
  hosts_.sleep();
  out.push_back(SuspendSelf{});
}

void HeadMachine::on(InputBytes& event, HeadEffects& out) {
  let(
      runs_.front(), [&](Run& run, RunEffects& wishes) { run.input(event.bytes, wishes); }, out);
}

void HeadMachine::on(InputEnded&, HeadEffects& out) {
  let(
      runs_.front(), [](Run& run, RunEffects& wishes) { run.input_ended(wishes); }, out);
}

void HeadMachine::on(OutputClosed&, HeadEffects& out) {
  let_all([&](Run& run, RunEffects& wishes) { run.output_closed(now_, wishes); }, out);
}

void HeadMachine::on(GlooServed& event, HeadEffects& out) {
  let(
      member(event.run),
      [&](Run& run, RunEffects& wishes) { run.gloo_served(std::move(event.at), now_, wishes); },
      out);
}

// ---- time -------------------------------------------------------------------------------------

void HeadMachine::on(HeadTick&, HeadEffects& out) {
  end_overdue(out);
  hosts_.tick(now_, out);
  keep_alive(out);
  let_all([&](Run& run, RunEffects& wishes) { run.tick(now_, wishes); }, out);
  if (!leave_by_ || now_ < *leave_by_) return;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) hosts_.close(NodeIndex(i), out);
  finish_when_left(out);
}

void HeadMachine::end_overdue(HeadEffects& out) {
  for (const auto& [host, error] : hosts_.overdue(now_)) {
    if (!hosts_.waits_for(host)) continue;  // the loss of another has ended all
    hosts_.close(host, out);
    missed(host, error, out);
  }
}

template <class Does>
void HeadMachine::for_leased(NodeIndex host, Does does) const {
  if (!hosts_.linked(host)) return;
  for (const Member& one : runs_) {
    const auto used = one.uses.find(host);
    if (used != one.uses.end() && one.run.keeps(used->second, now_)) does(one.index);
  }
}

void HeadMachine::keep_alive(HeadEffects& out) {
  if (!hosts_.beat(now_)) return;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const NodeIndex host(i);
    std::vector<RunIndex> leased;
    for_leased(host, [&](RunIndex run) { leased.push_back(run); });
    if (leased.empty()) continue;
    if (const auto error = hosts_.silent(host, now_)) {
      hosts_.close(host, out);
      lost(host, *error, out);
    } else {
      for (const RunIndex run : leased) hosts_.ping(host, run, now_, out);
    }
  }
}

void HeadMachine::to_leased(const wire::ToAgent& message, HeadEffects& out) const {
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const NodeIndex host(i);
    for_leased(host, [&](RunIndex run) { out.push_back(ToNode{host, message, run}); });
  }
}

// ---- what runs want ---------------------------------------------------------------------------

void HeadMachine::carry_out(Member& member, NeedHost& wish, HeadEffects& out) {
  const NodeIndex host = member.hosts[wish.node.value];
  switch (hosts_.state(host)) {
    case Hosts::State::waiting:
      if (!hosts_.waits_for(host)) hosts_.open(host, now_, out);
      return;
    case Hosts::State::up:
    case Hosts::State::greeted:
      return let(
          member, [&](Run& run, RunEffects& wishes) { run.up(wish.node, wishes); }, out);
    case Hosts::State::leaving:
      return;  // it is opened once it has left
  }
}

void HeadMachine::carry_out(Member& member, GreetHost& wish, HeadEffects& out) {
  hosts_.greet(wish, member.hosts[wish.node.value], member.index, now_, out);
}

void HeadMachine::carry_out(Member& member, AskHost& wish, HeadEffects& out) {
  hosts_.ping(member.hosts[wish.node.value], member.index, now_, out);
}

// Others may need it yet.
void HeadMachine::carry_out(Member& member, NotAwaited& wish, HeadEffects& out) {
  const NodeIndex host = member.hosts[wish.node.value];
  const bool waits = hosts_.state(host) == Hosts::State::waiting;
  if (waits) member.uses.erase(host);
  if (waits && !in_use(host)) return hosts_.close(host, out);
  if (!waits) hosts_.settle(host);
}

void HeadMachine::carry_out(Member& member, DropHost& wish, HeadEffects& out) {
  const NodeIndex host = member.hosts[wish.node.value];
  member.uses.erase(host);
  hosts_.close(host, out);
  lost(host, {Fault::lost, fmt::format("{}: another run has lost it", hosts_.name(host)), {}, {}},
       out);
}

void HeadMachine::carry_out(Member& member, FreeHost& wish, HeadEffects& out) {
  const NodeIndex host = member.hosts[wish.node.value];
  member.uses.erase(host);
  hosts_.dismiss(host, member.index, std::move(wish.bye), !in_use(host), out);
}

void HeadMachine::carry_out(Member& member, AddHost& wish, HeadEffects& out) {
  CHECK(wish.node.value == member.hosts.size());
  use(member, host_for(member.hosts, wish.host, out));
}

void HeadMachine::carry_out(Member& member, ToNode& wish, HeadEffects& out) {
  wish.node = member.hosts[wish.node.value];
  wish.run = member.index;
  out.push_back(std::move(wish));
}

void HeadMachine::carry_out(Member& member, ToNodes& wish, HeadEffects& out) {
  for (NodeIndex& node : wish.nodes) node = member.hosts[node.value];
  std::ranges::sort(wish.nodes);
  wish.run = member.index;
  out.push_back(std::move(wish));
}

void HeadMachine::finish_when_left(HeadEffects& out) {
  if (finished_ || !leave_by_ || hosts_.any_link()) return;
  finished_ = true;
  out.push_back(Finish{});
}

}  // namespace muster::machine
