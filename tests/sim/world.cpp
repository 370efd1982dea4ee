// Hosts, links and the faults that strike them.
#include "sim/world.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <type_traits>

#include "model/carriers.hpp"
#include "sim/frame_words.hpp"
#include "sim/words.hpp"
#include "wire/frame.hpp"

namespace muster::sim {

using base::Instant;
using base::NodeIndex;
using base::Rank;

namespace {

constexpr std::uint32_t kConnectsMax = 24;
constexpr Duration kAttemptPauseMax(3000);
constexpr Duration kSweepMax(5000);
constexpr Duration kSpare(2000);

bool is_heartbeat(const wire::ToAgent& message) {
  return std::holds_alternative<wire::Ping>(message);
}
bool is_heartbeat(const wire::ToHead& message) {
  return std::holds_alternative<wire::Pong>(message);
}

std::string framed(const wire::ToAgent& message, const wire::Address& address) {
  std::string frame;
  wire::append(frame, message, address);
  return frame;
}

// The digest of sources is not of the conversation.
std::string framed(wire::ToHead message, const wire::Address& address) {
  if (auto* welcome = std::get_if<wire::Welcome>(&message)) welcome->plans = 0;
  std::string frame;
  wire::append(frame, message, address);
  return frame;
}

wire::Address about(NodeIndex node) { return {base::kFirstRun, wire::HostSet(node)}; }

std::string host_name(std::uint32_t node) { return fmt::format("node{}", node + 1); }

model::Plan plan_of(const Scenario& world) {
  model::Plan plan;
  for (std::uint32_t i = 0; i < world.hosts.size(); ++i) {
    const HostScript& host = world.hosts[i];
    model::PlannedNode node;
    node.host.name = host_name(i);
    node.host.carrier = host.carrier;
    node.host.slots = host.ranks + host.slots;
    plan.universe += node.host.slots;
    if (host.ranks == 0) {
      plan.spare.push_back(std::move(node.host));
      continue;
    }
    for (std::uint32_t local = 0; local < host.ranks; ++local) {
      node.ranks.emplace_back(plan.ranks.size());
      plan.ranks.push_back({NodeIndex(i), local});
    }
    plan.nodes.push_back(std::move(node));
  }
  return plan;
}

machine::RunInput input_of(const Scenario& world, const model::Plan& plan) {
  machine::RunInput input;
  input.kept = {{{}}, {{}}};
  input.spec.apps.front().command = {"program"};
  input.spec.apps.front().workdir = "/";
  input.spec.grace = world.grace;
  input.spec.lease = world.lease;
  input.spec.timeout = world.timeout;
  input.spec.stacks_at_timeout = world.traces;
  if (world.notice) input.spec.notice = model::Notice{SIGUSR2, *world.notice};
  input.spec.init_timeout = world.init_timeout;
  input.spec.max_restarts = world.max_restarts;
  input.spec.carrier.patience = world.patience;
  input.spec.carrier.parallel = world.parallel;
  input.spec.input.to = world.input_to;
  input.plan = plan;
  input.job = "job";
  return input;
}

}  // namespace

World::World(Scenario scenario, Tracing tracing)
    : scenario_(std::move(scenario)),
      tracing_(tracing),
      plan_(plan_of(scenario_)),
      judge_(agenda_, scenario_, plan_),
      head_(agenda_, scenario_, input_of(scenario_, plan_), judge_, head_events()),
      current_(scenario_.hosts.size()),
      attempts_(scenario_.hosts.size()),
      stalled_(scenario_.hosts.size()),
      dark_(scenario_.hosts.size()) {}

// ---- play ---------------------------------------------------------------------------------------

Outcome World::play() {
  plan_faults();
  head_.start();
  const Instant limit = Agenda::kStart + time_limit();
  while (head_.alive() && !judge_.finished() && agenda_.step(limit)) continue;
  Outcome outcome;
  if (judge_.finished()) {
    outcome.report = head_.report();
    note("ends: " + words(*outcome.report));
    judge_.verdict(*outcome.report);
    check_whole();
    kill_head();  // its process ends; whatever it still had goes with it
  } else if (head_.alive()) {
    judge_.complain("the head never ends");
  }
  const Duration clean_up =
      scenario_.lease + machine::kOrphanGrace + kSweepMax + machine::kHelloTime + kSpare;
  const Instant until = agenda_.now() + clean_up;
  while (agenda_.step(until)) continue;
  check_leftovers();
  outcome.complaints = judge_.complaints();
  outcome.trace = std::move(trace_);
  return outcome;
}

// Long enough for everything that may happen by itself.
Duration World::time_limit() const {
  Duration limit(120'000);
  limit += kConnectsMax * (scenario_.patience + kAttemptPauseMax) *
           static_cast<int>(scenario_.hosts.size());
  return limit + scenario_.sleeps + scenario_.timeout.value_or(Duration(0));
}

void World::note(const std::string& line) {
  if (!tracing_.on) return;
  const auto time = static_cast<double>(agenda_.since_start().count()) / 1000;
  trace_ += fmt::format("{:8.3f}  {}\n", time, line);
}

template <class Message>
void World::note_message(NodeIndex node, const Message& message, const wire::Address& address) {
  if (!tracing_.on || (!tracing_.pings && is_heartbeat(message))) return;
  constexpr bool kFromHead = std::is_same_v<Message, wire::ToAgent>;
  std::string line = kFromHead ? fmt::format("head > {}  {}", name(node), words(message))
                               : fmt::format("{} > head  {}", name(node), words(message));
  if (tracing_.frames) {
    const std::string frame = framed(message, address);
    line += fmt::format("; {}, payload {}", header_words(frame), payload_hash(frame));
  }
  note(line);
}

// Simulated tasks write dots.
void World::note_output(NodeIndex node, Rank rank, wire::Stream stream, std::uint32_t count) {
  const wire::ToHead output = wire::Output{rank, stream, std::string(count, '.')};
  note_message(node, output, about(node));
}

bool World::here(NodeIndex node) const {
  return plan_.nodes[node.value].host.carrier == model::kLocal;
}

std::string World::name(NodeIndex node) const { return host_name(node.value); }

World::Session* World::current(NodeIndex node) { return current_[node.value]; }

// ---- the head's links ---------------------------------------------------------------------------

SimHeadEvents World::head_events() {
  SimHeadEvents events;
  events.open_link = [this](NodeIndex node) { open_link(node); };
  events.close_link = [this](NodeIndex node) { close_link(node); };
  events.send = [this](NodeIndex node, const wire::ToAgent& message, const wire::Address& address) {
    send(node, message, address);
  };
  events.add_host = [this](const machine::AddHost& added) {
    plan_.nodes.push_back({added.host, {}});
    // The scenario's hosts have the same numbers.
    if (added.host.name != host_name(added.node.value)) judge_.complain("hosts join out of order");
  };
  events.add_world = [this](const machine::AddWorld& added) {
    for (const model::PlannedRank& rank : added.ranks) plan_.ranks.push_back(rank);
  };
  events.note = [this](const std::string& line) { note("head " + line); };
  return events;
}

void World::open_link(NodeIndex node) {
  const HostScript& script = scenario_.hosts[node.value];
  const std::size_t number = attempts_[node.value]++;
  note(fmt::format("head opens {}", name(node)));
  Dice dice(scenario_.seed * 1000 + node.value * 30 + number);
  const std::uint64_t other = dice.next();
  const Duration latency = here(node) ? Duration(0) : script.latency;
  const Duration jitter = here(node) ? Duration(0) : script.jitter;
  sessions_.push_back({node, OneWay(agenda_, dice, latency, jitter),
                       OneWay(agenda_, Dice(other), latency, jitter), nullptr});
  Session& session = sessions_.back();
  current_[node.value] = &session;
  if (stalled_[node.value]) {
    session.to_agent.stall();
    session.to_head.stall();
  }
  if (here(node)) {
    session.host = std::make_unique<SimHost>(agenda_, script, scenario_, host_events(session));
    return head_.feed(machine::LinkUp{node});
  }
  Attempt attempt{Attempt::How::up, machine::Retry::no, Duration(0)};
  if (!script.attempts.empty()) {
    attempt = script.attempts[std::min(number, script.attempts.size() - 1)];
  }
  agenda_.after(attempt.takes, [this, &session, attempt] {
    if (!session.open || dark_[session.node.value] || stalled_[session.node.value]) return;
    if (attempt.how == Attempt::How::fails) {
      return head_.when_awake([this, &session, attempt] { attempt_fails(session, attempt); });
    }
    if (attempt.how != Attempt::How::silent) agent_comes(session, attempt);
  });
}

void World::attempt_fails(Session& session, const Attempt& attempt) {
  if (!std::exchange(session.open, false)) return;
  const std::string what = name(session.node) + ": connection refused";
  note(what);
  head_.feed(
      machine::LinkFailed{session.node, {base::Fault::unreachable, what, {}, {}}, attempt.retry});
}

void World::agent_comes(Session& session, const Attempt& attempt) {
  session.host = std::make_unique<SimHost>(agenda_, scenario_.hosts[session.node.value], scenario_,
                                           host_events(session));
  to_head(session, [this, &session] { head_.feed(machine::LinkUp{session.node}); });
  if (attempt.how == Attempt::How::up_then_lost) close_both(session, "the connection was reset");
}

void World::close_link(NodeIndex node) {
  Session* session = current(node);
  if (session == nullptr) return;
  session->open = false;
  session->to_head.deafen();
  session->to_agent.send([session] {
    if (session->host) session->host->feed(machine::LinkClosed{});
  });
  session->to_agent.cut();
}

void World::send(NodeIndex node, const wire::ToAgent& message, const wire::Address& address) {
  Session* session = current(node);
  if (session == nullptr || !session->open) return;
  note_message(node, message, address);
  if (here(node)) return session->host->feed(message);
  session->to_agent.send([session, message] {
    if (session->host) session->host->feed(message);
  });
}

// What arrives while the head sleeps waits in its pipe, and is lost if the head closes that first.
void World::to_head(Session& session, std::function<void()> arrives) {
  session.to_head.send([this, &session, arrives = std::move(arrives)] {
    head_.when_awake([&session, arrives] {
      if (session.open) arrives();
    });
  });
}

// The last thing that the head hears of this link.
void World::ends_at_head(Session& session, const std::string& why) {
  to_head(session, [this, &session, why] {
    session.open = false;
    const std::string what = name(session.node) + ": " + why;
    note(what);
    head_.feed(machine::LinkLost{session.node, {base::Fault::lost, what, {}, {}}});
  });
  session.to_head.cut();
}

void World::close_both(Session& session, const std::string& why) {
  ends_at_head(session, why);
  session.to_agent.send([&session] {
    if (session.host) session.host->feed(machine::LinkClosed{});
  });
  session.to_agent.cut();
}

// ---- the agents ---------------------------------------------------------------------------------

SimHostEvents World::host_events(Session& session) {
  SimHostEvents events;
  const NodeIndex node = session.node;
  events.to_head = [this, &session, node](const wire::ToHead& message) {
    judge_.agent_says(node, message);
    if (here(node)) {
      note_message(node, message, about(node));
      return head_.feed(machine::Heard{node, message});
    }
    to_head(session, [this, node, message] {
      note_message(node, message, about(node));
      head_.feed(machine::Heard{node, message});
    });
  };
  events.output = [this, &session, node](Rank rank, wire::Stream stream, std::uint64_t offset,
                                         std::uint32_t count) {
    if (here(node)) return head_.output(node, rank, stream, offset, count);
    to_head(session, [=, this] {
      if (tracing_.frames) note_output(node, rank, stream, count);
      head_.output(node, rank, stream, offset, count);
    });
  };
  events.link_dropped = [this, &session] {
    session.to_agent.deafen();
    ends_at_head(session, "its agent has closed the link");
  };
  events.quit = [this, &session] {
    session.to_agent.deafen();
    ends_at_head(session, "its agent has ended");
  };
  if (here(node)) {
    events.when_awake = [this](std::function<void()> what) { head_.when_awake(std::move(what)); };
  }
  events.starts = [this](Rank rank) { judge_.task_starts(rank); };
  events.complain = [this](const std::string& what) { judge_.complain(what); };
  return events;
}

// ---- faults -------------------------------------------------------------------------------------

void World::plan_faults() {
  for (std::uint32_t i = 0; i < scenario_.hosts.size(); ++i) {
    const HostScript& host = scenario_.hosts[i];
    fault_at(host.link_closes, NodeIndex(i), "link is cut", &World::strike_link);
    fault_at(host.stalls, NodeIndex(i), "cable is pulled", &World::pull_cable);
    if (host.stalls && host.stall_lasts != Duration(0)) {
      fault_at(*host.stalls + host.stall_lasts, NodeIndex(i), "cable is back", &World::plug_cable);
    }
    fault_at(host.agent_killed, NodeIndex(i), "agent is killed", &World::strike_agent);
    fault_at(host.guard_killed, NodeIndex(i), "guard is killed", &World::strike_guard);
    fault_at(host.dies, NodeIndex(i), "power fails", &World::strike_power);
  }
  if (!scenario_.head_killed) return;
  agenda_.at(Agenda::kStart + *scenario_.head_killed, [this] {
    if (judge_.finished()) return;
    note("head is killed");
    kill_head();
  });
}

void World::fault_at(std::optional<Duration> when, NodeIndex node, const std::string& what,
                     void (World::*strike)(NodeIndex)) {
  if (!when) return;
  agenda_.at(Agenda::kStart + *when, [this, node, what, strike] {
    note(name(node) + "'s " + what);
    (this->*strike)(node);
  });
}

void World::strike_link(NodeIndex node) {
  Session* session = current(node);
  if (session != nullptr && session->host) close_both(*session, "the connection was reset");
}

void World::pull_cable(NodeIndex node) {
  stalled_[node.value] = true;
  for (Session& session : sessions_) {
    if (session.node != node) continue;
    session.to_agent.stall();
    session.to_head.stall();
  }
}

void World::plug_cable(NodeIndex node) {
  stalled_[node.value] = false;
  for (Session& session : sessions_) {
    if (session.node != node) continue;
    session.to_agent.go_on();
    session.to_head.go_on();
  }
}

void World::strike_agent(NodeIndex node) {
  Session* session = current(node);
  if (session != nullptr && session->host) session->host->kill_agent();
}

void World::strike_guard(NodeIndex node) {
  Session* session = current(node);
  if (session != nullptr && session->host) session->host->kill_guard();
}

void World::strike_power(NodeIndex node) {
  dark_[node.value] = true;
  pull_cable(node);
  for (Session& session : sessions_) {
    if (session.node == node && session.host) session.host->power_off();
  }
}

void World::kill_head() {
  head_.kill();
  for (std::uint32_t i = 0; i < plan_.nodes.size(); ++i) {
    const NodeIndex node(i);
    Session* session = current(node);
    if (session == nullptr) continue;
    if (here(node)) {
      session->host->kill_agent();
    } else if (session->open) {
      close_link(node);
    }
  }
}

// ---- the end ------------------------------------------------------------------------------------

// An agent that was told to wait for a sleeping head, and then cut off from it, waits for ever.
bool World::may_wait_for_ever(NodeIndex node) const {
  return scenario_.sleeps != Duration(0) && stalled_[node.value];
}

void World::check_leftovers() {
  for (const Session& session : sessions_) {
    if (!session.host || !session.host->powered() || may_wait_for_ever(session.node)) continue;
    if (session.host->has_processes()) {
      judge_.complain("processes are left on " + name(session.node));
    }
    if (session.host->agent_alive()) judge_.complain("an agent is left on " + name(session.node));
  }
}

// Every byte of a run that nothing disturbed has come, and every byte of input has gone.
void World::check_whole() {
  if (judge_.failed()) return;
  for (std::uint32_t i = 0; i < plan_.ranks.size(); ++i) {
    const Rank rank(i);
    const SimTask& task = *current(plan_.ranks[i].node)->host->task(rank);
    const bool whole = task.out.written() == judge_.received(rank, wire::Stream::out) &&
                       task.err.written() == judge_.received(rank, wire::Stream::err);
    if (!whole) judge_.complain(fmt::format("output of rank {} is missing", i));
    if (task.input_got() > head_.input_sent()) judge_.complain("more input than there was");
    if (task.input_closed() && !head_.input_ended()) judge_.complain("input ends too early");
  }
}

}  // namespace muster::sim
