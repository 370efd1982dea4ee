// Hosts, links and the faults that strike them.
#include "sim/world.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <type_traits>

#include "machine/patience.hpp"
#include "model/carriers.hpp"
#include "sim/frame_words.hpp"
#include "sim/words.hpp"
#include "wire/frame.hpp"

namespace muster::sim {

using base::Instant;
using base::NodeIndex;
using base::Rank;
using base::RunIndex;

namespace {

constexpr std::uint32_t kConnectsMax = 24;
constexpr RunIndex kRelayedRun{2};  // as the head above calls the only run of the head below
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

// `fleet`: the numbers of its hosts in the outer scenario.
model::Plan plan_of(const Scenario& world, const std::vector<std::uint32_t>& fleet) {
  model::Plan plan;
  for (std::uint32_t i = 0; i < world.hosts.size(); ++i) {
    const HostScript& host = world.hosts[i];
    if (host.foreign) continue;
    model::PlannedNode node;
    node.host.name = host_name(fleet.empty() ? i : fleet[i]);
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

machine::RunInput input_of(const Scenario& world, const model::Plan& plan, const std::string& job) {
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
  input.holds_spare = world.holds;
  if (world.gloo) input.spec.gloo = model::GlooSpec{.interface = "eth0"};
  input.plan = plan;
  input.job = job;
  return input;
}

}  // namespace

World::World(Scenario scenario, Tracing tracing)
    : scenario_(std::move(scenario)),
      tracing_(tracing),
      court_(agenda_, scenario_),
      head_(agenda_, scenario_,
            input_of(scenario_, invite(scenario_, plan_of(scenario_, {}), {}).plan, "job"), court_,
            head_events()),
      current_(scenario_.hosts.size()),
      attempts_(scenario_.hosts.size()),
      stalled_(scenario_.hosts.size()),
      dark_(scenario_.hosts.size()) {
  for (std::uint32_t i = 0; i < parties_.front().plan.nodes.size(); ++i) fleet_of_.emplace_back(i);
  if (scenario_.relayed) put_head_above();
}

World::Party& World::invite(const Scenario& own, model::Plan plan,
                            std::optional<base::RunIndex> within) {
  Party& party = parties_.emplace_back(Party{&own, std::move(plan)});
  court_.begin(own, party.plan, within);
  return party;
}

// ---- play ---------------------------------------------------------------------------------------

Outcome World::play() {
  plan_faults();
  head_.start();
  for (const OtherRun& other : scenario_.others) {
    agenda_.at(Agenda::kStart + other.begins,
               [this, &other] { head_.when_awake([this, &other] { begin_another(other); }); });
  }
  const Instant limit = Agenda::kStart + time_limit();
  while (head_.alive() && !court_.finished() && agenda_.step(limit)) continue;
  Outcome outcome;
  if (court_.finished()) {
    outcome.report = head_.report();
    note("ends: " + words(*outcome.report));
    court_.verdict(head_.machine());
    check_whole();
    kill_head();  // its process ends; whatever it still had goes with it
  } else if (head_.alive()) {
    court_.complain("the head never ends");
  }
  const Duration silence = std::max<Duration>(scenario_.lease, machine::kHelloTime);
  const Duration clean_up =
      machine::patience(silence, true) + machine::kOrphanGrace + kSweepMax + kSpare;
  const Instant until = agenda_.now() + clean_up;
  while (agenda_.step(until)) continue;
  check_leftovers();
  outcome.complaints = court_.complaints();
  outcome.trace = std::move(trace_);
  outcome.met = std::move(met_);
  return outcome;
}

// By somebody in the first run, or beside it; nobody begins anything within a run that is over.
void World::begin_another(const OtherRun& other) {
  if (!head_.alive() || court_.finished()) return;
  std::optional<base::RunIndex> within;
  if (other.within) within = base::kFirstRun;
  if (within && court_.is_over(*within)) return;
  const std::string number = std::to_string(parties_.size() + 1);
  note("run " + number + " begins" + (within ? " within the first" : ""));
  count(within ? "a run begins within the first" : "a run begins beside the first");
  const Party& party = invite(other.own, plan_of(other.own, other.hosts), within);
  head_.add(input_of(other.own, party.plan, "job" + number), within);
}

// Long enough for everything that may happen by itself.
Duration World::time_limit() const {
  Duration limit(120'000);
  limit += kConnectsMax * (scenario_.patience + kAttemptPauseMax) *
           static_cast<int>(scenario_.hosts.size());
  limit += scenario_.sleeps + scenario_.timeout.value_or(Duration(0));
  for (const OtherRun& other : scenario_.others) {
    limit += other.begins + other.own.timeout.value_or(Duration(0));
  }
  return limit;
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
  std::string line = kFromHead ? fmt::format("head > {}  ", host_name(node.value))
                               : fmt::format("{} > head  ", host_name(node.value));
  if (address.run != base::kFirstRun) line += fmt::format("run {} ", address.run.value);
  line += words(message);
  if (tracing_.frames) {
    const std::string frame = framed(message, address);
    line += fmt::format("; {}, payload {}", header_words(frame), payload_hash(frame));
  }
  note(line);
}

// Simulated tasks write dots.
void World::note_output(NodeIndex node, RunIndex run, Rank rank, wire::Stream stream,
                        std::uint32_t count) {
  const wire::ToHead output = wire::Output{rank, stream, std::string(count, '.')};
  note_message(node, output, about(node, run));
}

bool World::here(NodeIndex node) const {
  return scenario_.hosts[node.value].carrier == model::kLocal;
}

NodeIndex World::at_head(NodeIndex node) const {
  return NodeIndex(std::ranges::find(fleet_of_, node) - fleet_of_.begin());
}

World::Session* World::current(NodeIndex node) { return current_[node.value]; }

// ---- the head's links ---------------------------------------------------------------------------

SimHeadEvents World::head_events() {
  SimHeadEvents events;
  events.open_link = [this](NodeIndex host) {
    const NodeIndex node = from_head(host);
    if (!relay_ || here(node)) return open_link(node);
    note("head asks for " + host_name(node.value));
    relay_->reach(host, host_name(node.value));
  };
  events.close_link = [this](NodeIndex host) {
    const NodeIndex node = from_head(host);
    relay_ && !here(node) ? relay_->release(host) : close_link(node);
  };
  events.send = [this](NodeIndex host, const wire::ToAgent& message, const wire::Address& address) {
    if (!address.hosts.contains(host)) court_.complain("a frame goes to whom it does not name");
    const NodeIndex node = from_head(host);
    if (!relay_ || here(node)) return send(node, message, address);
    note_message(node, message, address);
    relay_->send(host, message);
  };
  events.add_host = [this](const machine::AddHost& added) {
    std::uint32_t node = 0;
    while (host_name(node) != added.host.name) ++node;
    fleet_of_.emplace_back(node);
  };
  events.host_joined = [this](RunIndex run, const model::HostJoined& joined) {
    model::PlannedNode& node = parties_.at(run.value - 1).plan.nodes.emplace_back();
    node.host.name = joined.name;
    node.host.carrier = parties_.at(run.value - 1).own->hosts[joined.node.value].carrier;
  };
  events.add_world = [this](const machine::AddWorld& added) {
    model::Plan& plan = parties_.at(added.run.value - 1).plan;
    for (model::PlannedRank rank : added.ranks) {
      const std::string name = host_name(from_head(rank.node).value);
      const auto is_its = [&](const model::PlannedNode& node) { return node.host.name == name; };
      rank.node = NodeIndex(std::ranges::find_if(plan.nodes, is_its) - plan.nodes.begin());
      plan.ranks.push_back(rank);
    }
  };
  events.answers = [this](NodeIndex host) {
    const Session* session = current(from_head(host));
    return session != nullptr && session->open && answers(session->node);
  };
  events.note = [this](const std::string& line) { note("head " + line); };
  events.met = [this](const std::string& what) {
    if (!court_.finished()) count(what);
  };
  return events;
}

void World::open_link(NodeIndex node) {
  const HostScript& script = scenario_.hosts[node.value];
  const std::size_t number = attempts_[node.value]++;
  note(fmt::format("head opens {}", host_name(node.value)));
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
    session.agent = agent_for(session);
    return head_.feed(machine::LinkUp{at_head(node)});
  }
  Attempt attempt{Attempt::How::up, machine::Retry::no, Duration(0)};
  if (!script.attempts.empty()) {
    attempt = script.attempts[std::min(number, script.attempts.size() - 1)];
  }
  agenda_.after(attempt.takes, [this, &session, attempt] {
    if (!session.open || dark_[session.node.value] || stalled_[session.node.value]) return;
    if (attempt.how == Attempt::How::fails) {
      if (relay_) return attempt_fails(session, attempt);
      return head_.when_awake([this, &session, attempt] { attempt_fails(session, attempt); });
    }
    if (attempt.how != Attempt::How::silent) agent_comes(session, attempt);
  });
}

void World::attempt_fails(Session& session, const Attempt& attempt) {
  if (!std::exchange(session.open, false)) return;
  const std::string what = host_name(session.node.value) + ": connection refused";
  note(what);
  count("an attempt to reach a host fails");
  hears_failure(session, {base::Fault::unreachable, what, {}, {}}, attempt.retry);
}

void World::agent_comes(Session& session, const Attempt& attempt) {
  session.agent = agent_for(session);
  to_head(session, [this, &session] { hears_up(session); });
  if (attempt.how == Attempt::How::up_then_lost) close_both(session, "the connection was reset");
}

void World::close_link(NodeIndex node) {
  Session* session = current(node);
  if (session == nullptr) return;
  session->open = false;
  session->to_head.deafen();
  session->to_agent.send([session] {
    if (session->agent) session->agent->link_closed();
  });
  session->to_agent.cut();
}

void World::send(NodeIndex node, const wire::ToAgent& message, const wire::Address& address) {
  Session* session = current(node);
  if (session == nullptr || !session->open) return;
  note_message(node, message, address);
  const RunIndex run = address.run;
  if (here(node)) return session->agent->hear(run, message);
  session->to_agent.send([session, run, message] {
    if (session->agent) session->agent->hear(run, message);
  });
}

// What arrives while the head sleeps waits in its pipe, and is lost if the head closes that first.
void World::to_head(Session& session, std::function<void()> arrives) {
  session.to_head.send([this, &session, arrives = std::move(arrives)] {
    const auto take = [&session, arrives] {
      if (session.open) arrives();
    };
    relay_ && !here(session.node) ? take() : head_.when_awake(take);
  });
}

// The last thing that the head hears of this link.
void World::ends_at_head(Session& session, const std::string& why) {
  to_head(session, [this, &session, why] {
    session.open = false;
    const std::string what = host_name(session.node.value) + ": " + why;
    note(what);
    if (here(session.node)) return;  // the head has no link to itself
    hears_loss(session, {base::Fault::lost, what, {}, {}});
  });
  session.to_head.cut();
}

void World::close_both(Session& session, const std::string& why) {
  ends_at_head(session, why);
  session.to_agent.send([&session] {
    if (session.agent) session.agent->link_closed();
  });
  session.to_agent.cut();
}

// ---- the agents ---------------------------------------------------------------------------------

std::unique_ptr<SimAgent> World::agent_for(Session& session) {
  const NodeIndex node = session.node;
  return std::make_unique<SimAgent>(
      agenda_, scenario_.hosts[node.value], scenario_,
      [this, node](RunIndex run) { return scripts(node, run); }, agent_events(session));
}

std::pair<const HostScript*, const Scenario*> World::scripts(NodeIndex node, RunIndex run) const {
  if (known_as(node, run) == base::kFirstRun) return {&scenario_.hosts[node.value], &scenario_};
  const OtherRun& other = scenario_.others.at(run.value - 2);
  const auto own = std::ranges::find(other.hosts, node.value) - other.hosts.begin();
  return {&other.own.hosts.at(static_cast<std::size_t>(own)), &other.own};
}

SimAgentEvents World::agent_events(Session& session) {
  SimAgentEvents events;
  const NodeIndex node = session.node;
  events.to_head = [this, &session, node](RunIndex run, const wire::ToHead& message) {
    court_.agent_says(at_head(node), known_as(node, run), message);
    count_words(message);
    if (here(node)) {
      note_message(node, message, about(node, run));
      return head_.feed(machine::Heard{at_head(node), message, run});
    }
    to_head(session, [this, node, run, message] {
      note_message(node, message, about(node, run));
      hears(node, run, message);
    });
  };
  events.output = [this, &session, node](RunIndex run, Rank rank, wire::Stream stream,
                                         std::uint64_t offset, std::uint32_t count) {
    if (here(node)) return head_.output(at_head(node), run, rank, stream, offset, count);
    to_head(session, [=, this] {
      if (tracing_.frames) note_output(node, run, rank, stream, count);
      hears_output(node, run, rank, stream, offset, count);
    });
  };
  events.head_answers = [this, node] { return answers(node); };
  events.link_dropped = [this, &session] {
    count("an agent no longer hears its head");
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
  events.starts = [this, node](RunIndex run, Rank rank) {
    court_.task_starts(known_as(node, run), rank);
  };
  events.tells_store = [this, node](RunIndex run, Rank rank) {
    if (stalled_[node.value] || dark_[node.value]) return;
    head_.feed(machine::GlooJoined{rank, {}, known_as(node, run)});
  };
  events.complain = [this](const std::string& what) { court_.complain(what); };
  return events;
}

void World::count_words(const wire::ToHead& message) {
  if (std::holds_alternative<wire::Refused>(message)) count("an agent refuses");
  if (std::holds_alternative<wire::Declined>(message)) count("an agent declines to spawn");
  const auto* exited = std::get_if<wire::Exited>(&message);
  if (exited == nullptr || !exited->exit.failed()) return;
  count(exited->exit.signal != 0 ? "a rank ends by a signal" : "a rank fails");
}

// ---- faults -------------------------------------------------------------------------------------

void World::plan_faults() {
  for (std::uint32_t i = 0; i < scenario_.hosts.size(); ++i) {
    const HostScript& host = scenario_.hosts[i];
    fault_at(host.link_closes, NodeIndex(i), "link is cut", &World::strike_link);
    fault_at(host.stalls, NodeIndex(i), host.is_busy ? "programs wait" : "cable is pulled",
             &World::pull_cable);
    if (host.stalls && host.stall_lasts != Duration(0)) {
      fault_at(*host.stalls + host.stall_lasts, NodeIndex(i),
               host.is_busy ? "programs go on" : "cable is back", &World::plug_cable);
    }
    fault_at(host.agent_killed, NodeIndex(i), "agent is killed", &World::strike_agent);
    fault_at(host.guard_killed, NodeIndex(i), "guard is killed", &World::strike_guard);
    fault_at(host.dies, NodeIndex(i), "power fails", &World::strike_power);
  }
  if (!scenario_.head_killed) return;
  agenda_.at(Agenda::kStart + *scenario_.head_killed, [this] {
    if (court_.finished()) return;
    note("head is killed");
    count("the head is killed");
    kill_head();
  });
}

void World::fault_at(std::optional<Duration> when, NodeIndex node, const std::string& what,
                     void (World::*strike)(NodeIndex)) {
  if (!when) return;
  agenda_.at(Agenda::kStart + *when, [this, node, what, strike] {
    note(host_name(node.value) + "'s " + what);
    if (current(node) != nullptr && !court_.finished()) count("a host's " + what);
    (this->*strike)(node);
  });
}

void World::strike_link(NodeIndex node) {
  Session* session = current(node);
  if (session != nullptr && session->agent) close_both(*session, "the connection was reset");
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

// Its kernel and ours, each to the other.
bool World::answers(NodeIndex node) const {
  const bool is_cut_off = stalled_[node.value] && !scenario_.hosts[node.value].is_busy;
  return !is_cut_off && !dark_[node.value];
}

void World::strike_agent(NodeIndex node) {
  Session* session = current(node);
  if (session != nullptr && session->agent) session->agent->kill();
}

void World::strike_guard(NodeIndex node) {
  Session* session = current(node);
  if (session != nullptr && session->agent) session->agent->kill_guard();
}

void World::strike_power(NodeIndex node) {
  dark_[node.value] = true;
  pull_cable(node);
  for (Session& session : sessions_) {
    if (session.node == node && session.agent) session.agent->power_off();
  }
}

void World::kill_head() {
  head_.kill();
  if (relay_) relay_->hang_up();
  for (Session& session : sessions_) {
    if (here(session.node)) {
      session.agent->kill();
    } else if (session.open && !relay_) {
      close_link(session.node);
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
    if (!session.agent || !session.agent->powered() || may_wait_for_ever(session.node)) continue;
    if (session.agent->has_processes()) {
      court_.complain("processes are left on " + host_name(session.node.value));
    }
    if (session.agent->alive())
      court_.complain("an agent is left on " + host_name(session.node.value));
  }
}

void World::check_whole() {
  for (std::size_t i = 0; i < parties_.size(); ++i) check_whole(RunIndex(i + 1));
}

// Every byte of a run that nothing disturbed has come, and every byte of input has gone.
void World::check_whole(RunIndex run) {
  if (court_.failed(run)) return;
  const model::Plan& plan = parties_.at(run.value - 1).plan;
  const bool is_fed = run == base::kFirstRun;
  for (std::uint32_t i = 0; i < plan.ranks.size(); ++i) {
    const Rank rank(i);
    const SimTask* found = task_of(run, rank);
    if (found == nullptr) {
      court_.complain(fmt::format("rank {} of run {} has never been there", i, run.value));
      continue;
    }
    const SimTask& task = *found;
    const bool whole = task.out.written() == court_.received(run, rank, wire::Stream::out) &&
                       task.err.written() == court_.received(run, rank, wire::Stream::err);
    if (!whole) court_.complain(fmt::format("output of rank {} is missing", i));
    if (task.input_got() > (is_fed ? head_.input_sent() : 0)) {
      court_.complain("more input than there was");
    }
    if (task.input_closed() && is_fed && !head_.input_ended()) {
      court_.complain("input ends too early");
    }
  }
}

// On the last agent of its host that knew the run.
const SimTask* World::task_of(RunIndex run, Rank rank) const {
  const model::Plan& plan = parties_.at(run.value - 1).plan;
  const std::string& name = plan.nodes.at(plan.ranks[rank.value].node.value).host.name;
  const SimTask* found = nullptr;
  for (const Session& session : sessions_) {
    if (!session.agent || host_name(session.node.value) != name) continue;
    const bool is_relayed = relay_ && !here(session.node);
    const SimHost* host = session.agent->run(is_relayed ? kRelayedRun : run);
    if (host != nullptr && host->task(rank) != nullptr) found = host->task(rank);
  }
  return found;
}

}  // namespace muster::sim
