// Takes events to hosts and runs, and the runs' wishes to hosts.
#include "machine/head_machine.hpp"

#include <algorithm>
#include <csignal>

#include "base/check.hpp"
#include "machine/patience.hpp"
#include "model/carriers.hpp"

namespace muster::machine {

using base::Duration;
using base::Error;
using base::Fault;
using base::Instant;
using base::NodeIndex;
using base::RunIndex;

namespace {

// What the head above has to say about a host that it cannot reach comes after its own patience.
constexpr Duration kAnswerOfHeadAbove = std::chrono::seconds(3);

// Of a Slurm job: one srun opens all hosts. Where that fails each has one of its own, a few at the
// same time, and StepLinks knows since when: what is here is only to come after it.
void let_steps_open(std::size_t hosts, model::CarrierSpec& carrier) {
  carrier.patience *= 2 + hosts / std::max(1u, carrier.parallel);
  carrier.parallel = model::kRanksMax;
}

Hosts::Options options_of(const RunInput& input) {
  const model::JobSpec& spec = input.spec;
  Hosts::Options options{spec.carrier, spec.lease, spec.grace};
  // Their agents are processes of this machine: who has not greeted yet waits for a processor.
  const bool are_fake = spec.fake_nodes > 0 || spec.fake_hosts;
  options.carrier.patience = patience(options.carrier.patience, are_fake);
  if (!spec.carrier.above.empty()) options.carrier.patience += kAnswerOfHeadAbove;
  if (spec.source.carrier == model::kStep) {
    let_steps_open(input.plan.nodes.size() + input.plan.spare.size(), options.carrier);
  }
  return options;
}

bool asks_for_hosts(const RunEffects& wishes) {
  return std::ranges::any_of(
      wishes, [](const RunEffect& one) { return std::holds_alternative<NeedHost>(one); });
}

}  // namespace

// ---- runs -------------------------------------------------------------------------------------

HeadMachine::HeadMachine(RunInput input)
    : hosts_(options_of(input)),
      first_(input.number),
      keeps_links_(input.keeps_links),
      outlives_terminal_(input.spec.outlives_terminal),
      last_(first_.value - 1) {
  CHECK(first_ >= kFirstRun);
  HeadEffects none;
  enroll(std::move(input), {}, none);
}

HeadMachine::Member& HeadMachine::enroll(RunInput input, std::optional<RunIndex> within,
                                         HeadEffects& out) {
  std::vector<NodeIndex> hosts;
  hosts.reserve(input.plan.nodes.size());
  for (const model::PlannedNode& node : input.plan.nodes) {
    hosts.push_back(host_for(hosts, node.host, out));
  }
  Member& added = begin(Run(std::move(input)), within);
  for (const NodeIndex host : hosts) use(added, host);
  return added;
}

template <class Part, class Does>
void HeadMachine::let(Member& member, Does does, HeadEffects& out) {
  RunEffects wishes;
  does(std::get<Part>(member.part), wishes);
  settle(member, wishes, out);
}

template <class Does>
void HeadMachine::let_any(Member& member, Does does, HeadEffects& out) {
  RunEffects wishes;
  std::visit([&](auto& part) { does(part, wishes); }, member.part);
  settle(member, wishes, out);
}

void HeadMachine::settle(Member& member, RunEffects& wishes, HeadEffects& out) {
  for (RunEffect& wish : wishes) {
    std::visit([&](auto& one) { carry_out(member, one, out); }, wish);
  }
  if (asks_for_hosts(wishes)) hosts_.go_on(now_, out);
  if (!member.over() || std::exchange(member.told_over, true)) return finish_when_left(out);
  out.push_back(RunOver{member.index});
  if (std::ranges::all_of(runs_, &Member::told_over)) leave_by_ = now_ + kLeaveTime;
  finish_when_left(out);
}

template <class Part, class Does>
void HeadMachine::let_all(Does does, HeadEffects& out) {
  for (Member& one : runs_) {
    if (std::holds_alternative<Part>(one.part) && !one.over()) let<Part>(one, does, out);
  }
}

template <class Does>
void HeadMachine::let_users(NodeIndex host, Does does, HeadEffects& out) {
  for (Member& one : runs_) {
    const auto used = one.uses.find(host);
    if (used == one.uses.end()) continue;
    const NodeIndex node = used->second;
    let_any(
        one, [&](auto& part, RunEffects& wishes) { does(part, node, wishes); }, out);
  }
}

// Last of all: what has ended the outer run may be the inner one's own failure, too.
void HeadMachine::end_inner_runs(HeadEffects& out) {
  for (Member& one : runs_) {
    if (!one.within || one.over()) continue;
    if (one.is_relay()) {
      end_orphan(one, out);
    } else if (is_over(*one.within) && !std::exchange(one.told_outer_over, true)) {
      let<Run>(
          one, [&](Run& run, RunEffects& wishes) { run.outer_over(now_, wishes); }, out);
    }
  }
}

// A launcher goes with its run, and with its host.
void HeadMachine::end_orphan(Member& member, HeadEffects& out) {
  const LauncherId& launcher = std::get<Relay>(member.part).launcher();
  if (!is_over(launcher.run) && user(launcher.run, launcher.host) != nullptr) return;
  let<Relay>(
      member, [](Relay& relay, RunEffects& wishes) { relay.hang_up(wishes); }, out);
}

void HeadMachine::start(Instant now, HeadEffects& out) {
  now_ = now;
  let<Run>(
      runs_.front(), [&](Run& run, RunEffects& wishes) { run.start(now, wishes); }, out);
}

RunIndex HeadMachine::add(RunInput input, std::optional<RunIndex> within, Instant now,
                          HeadEffects& out) {
  CHECK(!finished_);
  now_ = now;
  leave_by_.reset();
  Member& added = enroll(std::move(input), within, out);
  let<Run>(
      added, [&](Run& run, RunEffects& wishes) { run.start(now, wishes); }, out);
  return last_;
}

void HeadMachine::step(Instant now, HeadEvent event, HeadEffects& out) {
  now_ = now;
  if (finished_) return;
  std::visit([&](auto& one) { on(one, out); }, event);
  end_inner_runs(out);
  std::erase_if(runs_, [](const Member& one) { return one.is_relay() && one.over(); });
}

std::optional<Instant> HeadMachine::deadline() const {
  if (finished_) return std::nullopt;
  auto soonest = base::sooner(hosts_.next_beat(), hosts_.next_opening());
  soonest = base::sooner(soonest, hosts_.next_leaving());
  for (const Member& one : runs_) {
    if (!one.is_relay()) soonest = base::sooner(soonest, run(one.index).deadline());
  }
  return base::sooner(soonest, leave_by_);
}

// ---- links ------------------------------------------------------------------------------------

void HeadMachine::on(LinkUp& event, HeadEffects& out) {
  if (!in_use(event.node)) return;
  hosts_.up(event.node, now_);
  let_users(
      event.node, [](auto& part, NodeIndex node, RunEffects& wishes) { part.up(node, wishes); },
      out);
}

void HeadMachine::on(LinkFailed& event, HeadEffects& out) {
  if (!hosts_.link(event.node)) return;
  if (const auto error = hosts_.failed(event, now_, out)) missed(event.node, *error, out);
}

void HeadMachine::missed(NodeIndex host, const Error& error, HeadEffects& out) {
  let_users(
      host,
      [&](auto& part, NodeIndex node, RunEffects& wishes) {
        part.missed(node, error, now_, wishes);
      },
      out);
}

void HeadMachine::on(LinkLost& event, HeadEffects& out) {
  hosts_.lost(event.node);
  lost(event.node, event.error, out);
}

void HeadMachine::lost(NodeIndex host, const Error& error, HeadEffects& out) {
  let_users(
      host,
      [&](auto& part, NodeIndex node, RunEffects& wishes) {
        // One that has left may have been asked for again since.
        if (part.needs(node)) return wishes.push_back(NeedHost{node});
        part.lost(node, error, now_, wishes);
      },
      out);
  // For all that do not want it again it is gone: another run may open it for itself.
  for (Member& one : runs_) {
    const auto used = one.uses.find(host);
    if (used != one.uses.end() && !needs(one, used->second)) one.uses.erase(used);
  }
  finish_when_left(out);
}

bool HeadMachine::needs(const Member& member, NodeIndex node) {
  return std::visit([&](const auto& part) { return part.needs(node); }, member.part);
}

void HeadMachine::on(Heard& event, HeadEffects& out) {
  hosts_.heard(event.node, now_);
  if (const auto* asked = std::get_if<wire::FromLauncher>(&event.message)) {
    return from_launcher(event, *asked, out);
  }
  Member* said = user(event.run, event.node);
  if (said != nullptr && said->is_relay()) return pass_on(*said, event, out);
  if (auto* pong = std::get_if<wire::Pong>(&event.message)) {
    return hosts_.pong(event.node, event.run, *pong, now_);
  }
  if (const auto* message = std::get_if<wire::Welcome>(&event.message)) {
    return welcome(said, event, *message, out);
  }
  if (said == nullptr) return;
  const NodeIndex node = said->uses.at(event.node);
  let<Run>(
      *said,
      [&](Run& run, RunEffects& wishes) {
        run.heard(node, std::move(event.message), hosts_.clock_of(event.node), now_, wishes);
      },
      out);
}

// A host answers, though the run that greeted it may be over and another one still waits for it.
void HeadMachine::welcome(Member* member, const Heard& event, const wire::Welcome& message,
                          HeadEffects& out) {
  const bool is_late = member == nullptr || !run(member->index).awaits(member->uses.at(event.node));
  if (is_late) return hosts_.answered(event.node, message.facts, now_, out);
  const NodeIndex node = member->uses.at(event.node);
  auto accepted = hosts_.welcome(event.node, event.run, message, now_, out);
  let<Run>(
      *member,
      [&](Run& run, RunEffects& wishes) {
        if (!accepted) return run.unfit(node, std::move(accepted.error()), now_, wishes);
        run.greeted(node, message.facts, message.shared, now_, wishes);
      },
      out);
}

void HeadMachine::on(Printed& event, HeadEffects&) {
  hosts_.heard(event.node, now_);
  Member* said = user(event.run, event.node);
  if (said == nullptr || said->is_relay()) return;
  std::get<Run>(said->part).printed(said->uses.at(event.node), event.rank, event.errors);
}

// ---- launchers inside ranks -------------------------------------------------------------------

void HeadMachine::from_launcher(const Heard& event, const wire::FromLauncher& message,
                                HeadEffects& out) {
  const LauncherId launcher{event.node, event.run, message.connection};
  const auto found = std::ranges::find_if(runs_, [&](const Member& one) {
    const auto* relay = std::get_if<Relay>(&one.part);
    return relay != nullptr && !relay->over() && relay->launcher() == launcher;
  });
  if (found == runs_.end()) return begin_relay(launcher, message.bytes, out);
  if (!message.bytes.empty()) return take(*found, message.bytes, out);
  let<Relay>(
      *found, [](Relay& relay, RunEffects& wishes) { relay.hang_up(wishes); }, out);
}

// One message at a time: what the next one means may depend on what became of it.
void HeadMachine::take(Member& member, const std::string& bytes, HeadEffects& out) {
  std::get<Relay>(member.part).take(bytes);
  for (bool more = true; more;) {
    let<Relay>(
        member, [&](Relay& relay, RunEffects& wishes) { more = relay.next(wishes); }, out);
  }
  hosts_.go_on(now_, out);
}

// A run that is over takes no others in; nor does a rank speak for another host's run.
void HeadMachine::begin_relay(const LauncherId& launcher, const std::string& bytes,
                              HeadEffects& out) {
  const Member* above = user(launcher.run, launcher.host);
  if (bytes.empty() || above == nullptr || above->over()) return;
  Member& begun = begin(Relay(launcher), launcher.run);
  let<Relay>(
      begun, [](Relay& relay, RunEffects& wishes) { relay.begin(wishes); }, out);
  take(begun, bytes, out);
}

// What its hosts say about themselves, we hear as well.
void HeadMachine::pass_on(Member& member, const Heard& event, HeadEffects& out) {
  const auto* welcome = std::get_if<wire::Welcome>(&event.message);
  if (welcome != nullptr) hosts_.answered(event.node, welcome->facts, now_, out);
  const NodeIndex node = member.uses.at(event.node);
  let<Relay>(
      member,
      [&](Relay& relay, RunEffects& wishes) {
        if (welcome == nullptr) return relay.heard(node, event.message, wishes);
        wire::Welcome message = *welcome;
        message.facts = facts_for(relay, std::move(message.facts));
        relay.heard(node, message, wishes);
      },
      out);
}

// ---- people -----------------------------------------------------------------------------------

void HeadMachine::on(UserSignal& event, HeadEffects& out) {
  if (event.number == SIGHUP && outlives_terminal_) {
    lost_terminal_ = true;
    return;
  }
  switch (event.number) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
      return let_all<Run>(
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
    let_all<Relay>([](Relay& relay, RunEffects& wishes) { relay.suspend(false, wishes); }, out);
  }
  let_all<Run>([&](Run& run, RunEffects& wishes) { run.signal(number, wishes); }, out);
}

void HeadMachine::suspend(HeadEffects& out) {
  // SIGSTOP, since the kernel ignores SIGTSTP in a session without a terminal.
  let_all<Run>([&](Run& run, RunEffects& wishes) { run.signal(SIGSTOP, wishes); }, out);
  to_leased(wire::Suspend{true}, out);
  let_all<Relay>([](Relay& relay, RunEffects& wishes) { relay.suspend(true, wishes); }, out);
  hosts_.sleep();
  out.push_back(SuspendSelf{});
}

void HeadMachine::on(InputBytes& event, HeadEffects& out) {
  if (runs_.front().over()) return;  // it was on its way
  let<Run>(
      runs_.front(), [&](Run& run, RunEffects& wishes) { run.input(event.bytes, wishes); }, out);
}

void HeadMachine::on(InputEnded&, HeadEffects& out) {
  if (runs_.front().over()) return;  // it was on its way
  let<Run>(
      runs_.front(), [](Run& run, RunEffects& wishes) { run.input_ended(wishes); }, out);
}

// Whatever stood between us and a terminal has ended with it.
void HeadMachine::on(OutputClosed& event, HeadEffects& out) {
  if (outlives_terminal_ && (event.was_terminal || lost_terminal_)) return;
  let_all<Run>([&](Run& run, RunEffects& wishes) { run.output_closed(now_, wishes); }, out);
}

// Launchers of ranks were told by this run.
void HeadMachine::on(AllocationEnds& event, HeadEffects& out) {
  let<Run>(
      runs_.front(), [&](Run& run, RunEffects&) { run.allocation_ends(event, now_); }, out);
}

void HeadMachine::on(GlooServed& event, HeadEffects& out) {
  Member* asked = find(event.run);
  CHECK(asked != nullptr);
  let<Run>(
      *asked,
      [&](Run& run, RunEffects& wishes) { run.gloo_served(std::move(event.at), now_, wishes); },
      out);
}

void HeadMachine::on(GlooJoined& event, HeadEffects& out) {
  Member* served = find(event.run);
  CHECK(served != nullptr);
  let<Run>(
      *served, [&](Run& run, RunEffects&) { run.gloo_joined(event, now_); }, out);
}

// ---- time -------------------------------------------------------------------------------------

void HeadMachine::on(HeadTick&, HeadEffects& out) {
  end_overdue(out);
  hosts_.tick(now_, out);
  keep_alive(out);
  let_all<Run>([&](Run& run, RunEffects& wishes) { run.tick(now_, wishes); }, out);
  part_with_hosts(out);
}

// One that takes too long to leave may be needed again.
void HeadMachine::part_with_hosts(HeadEffects& out) {
  const bool all = leave_by_ && now_ >= *leave_by_;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const NodeIndex host(i);
    if (!all && !hosts_.overstays(host, now_)) continue;
    hosts_.close(host, out);
    lost(host, {Fault::lost, fmt::format("{}: it did not leave", hosts_.name(host)), {}, {}}, out);
  }
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
    if (used == one.uses.end() || one.is_relay()) continue;
    if (run(one.index).keeps(used->second, now_)) does(one.index);
  }
}

void HeadMachine::keep_alive(HeadEffects& out) {
  if (!hosts_.beat(now_)) return;
  for (std::uint32_t i = 0; i < hosts_.size(); ++i) {
    const NodeIndex host(i);
    std::vector<RunIndex> leased;
    for_leased(host, [&](RunIndex run) { leased.push_back(run); });
    if (leased.empty()) continue;
    for (const RunIndex run : leased) hosts_.ping(host, run, now_, out);
    hosts_.look_for_silent(host, now_, out);
  }
}

void HeadMachine::on(HostSeen& event, HeadEffects& out) {
  bool is_leased = false;
  for_leased(event.node, [&](RunIndex) { is_leased = true; });
  if (!is_leased) return;
  const auto error = hosts_.silent(event, now_, out);
  if (!error) return;
  hosts_.close(event.node, out);
  lost(event.node, *error, out);
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
      return let_any(
          member, [&](auto& part, RunEffects& wishes) { part.up(wish.node, wishes); }, out);
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
  const Hosts::State state = hosts_.state(host);
  const bool has_spoken = state == Hosts::State::up || state == Hosts::State::greeted;
  if (has_spoken && !member.is_relay()) {
    if (!is_awaited(host, member)) hosts_.settle(host);
    return;
  }
  member.uses.erase(host);
  const bool is_greeted = state >= Hosts::State::greeted;
  if (!is_greeted && !in_use(host)) hosts_.close(host, out);
}

void HeadMachine::carry_out(Member& member, DropHost& wish, HeadEffects& out) {
  const NodeIndex host = member.hosts[wish.node.value];
  member.uses.erase(host);
  const bool is_gone = hosts_.state(host) == Hosts::State::waiting && !hosts_.link(host);
  if (is_gone) return;  // all that use it are being told why
  hosts_.close(host, out);
  lost(host, {Fault::lost, fmt::format("{}: another run has lost it", hosts_.name(host)), {}, {}},
       out);
}

void HeadMachine::carry_out(Member& member, FreeHost& wish, HeadEffects& out) {
  const NodeIndex host = member.hosts[wish.node.value];
  member.uses.erase(host);
  const bool is_last = !in_use(host);
  const bool is_kept = keeps_links_ && is_last && hosts_.can_be_kept(host);
  if (is_kept) return hosts_.keep(host, member.index, out);
  hosts_.dismiss(host, member.index, std::move(wish.bye), is_last, now_, out);
}

void HeadMachine::carry_out(Member& member, AnswerLauncher& wish, HeadEffects& out) {
  answer(std::get<Relay>(member.part).launcher(), wish.bytes, out);
}

void HeadMachine::carry_out(Member& member, CallHost& wish, HeadEffects& out) {
  CHECK(wish.node.value == member.hosts.size());
  if (const auto host = host_for_relay(member, wish.host, out)) {
    use(member, *host);
    NeedHost needed{wish.node};
    return carry_out(member, needed, out);
  }
  member.hosts.emplace_back();  // none
  let<Relay>(
      member, [&](Relay& relay, RunEffects& wishes) { relay.refused(wish.node, wishes); }, out);
}

void HeadMachine::carry_out(Member& member, AddHost& wish, HeadEffects& out) {
  CHECK(wish.node.value == member.hosts.size());
  use(member, host_for(member.hosts, wish.host, out));
}

void HeadMachine::carry_out(Member& member, AddWorld& wish, HeadEffects& out) {
  for (model::PlannedRank& rank : wish.ranks) rank.node = member.hosts[rank.node.value];
  wish.run = member.index;
  out.push_back(std::move(wish));
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
