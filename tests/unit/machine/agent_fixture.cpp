// Tells messages and effects of an agent as words.
#include "unit/machine/agent_fixture.hpp"

#include <fmt/ranges.h>
#include <utility>

namespace muster::machine {

using base::Duration;
using base::Rank;

namespace {

std::string of(const char* word, Rank rank) { return fmt::format("{} {}", word, rank.value); }

struct SaidByAgent {
  std::string operator()(const wire::Welcome& m) const {
    if (m.facts.rank_ports.empty()) return "Welcome";
    return fmt::format("Welcome, ports {}", fmt::join(m.facts.rank_ports, " "));
  }
  std::string operator()(const wire::Prepared& m) const {
    if (!m.outside.empty()) return "Prepared " + m.outside;
    return m.world == 1 ? "Prepared" : fmt::format("Prepared world {}", m.world);
  }
  std::string operator()(const wire::Traced& m) const { return "Traced " + m.state; }
  std::string operator()(const wire::Declined& m) const { return "Declined " + m.error.what; }
  std::string operator()(const wire::Spawn& m) const { return of("Spawn", m.rank); }
  std::string operator()(const wire::Refused& m) const { return "Refused " + m.error.what; }
  std::string operator()(const wire::Started& m) const { return of("Started", m.rank); }
  std::string operator()(const wire::Output&) const { return "Output"; }
  std::string operator()(const wire::OutputEnd& m) const { return of("OutputEnd", m.rank); }
  std::string operator()(const wire::Exited& m) const { return of("Exited", m.exit.rank); }
  std::string operator()(const wire::FenceIn& m) const {
    return fmt::format("FenceIn {} {}", m.sequence, m.blob);
  }
  std::string operator()(const wire::Aborted& m) const {
    return fmt::format("Aborted {} {}", m.rank.value, m.code);
  }
  std::string operator()(const wire::Attendance& m) const {
    std::string text = "Attendance";
    for (const Rank rank : m.ranks) text += fmt::format(" {}", rank.value);
    return text;
  }
  std::string operator()(const wire::PmixUp&) const { return "PmixUp"; }
  std::string operator()(const wire::NameAsk& m) const { return "NameAsk " + m.service; }
  std::string operator()(const wire::InputCredit& m) const {
    return fmt::format("InputCredit {}", m.bytes);
  }
  std::string operator()(const wire::Stopped& m) const {
    return fmt::format("Stopped {} {}", m.killed, m.leftovers.size());
  }
  std::string operator()(const wire::Taken& m) const { return "Taken " + to_string(m.cpus); }
  template <class Other>
  std::string operator()(const Other&) const {
    return "of launchers";
  }
  std::string operator()(const wire::Pong&) const { return "Pong"; }
};

struct DoneByAgent {
  std::string operator()(const ToHead& e) const { return std::visit(SaidByAgent{}, e.message); }
  std::string operator()(const ReadTopology&) const { return "read topology"; }
  std::string operator()(const ClaimPorts& e) const {
    return fmt::format("claim {} ports", e.count);
  }
  std::string operator()(const BeginRound&) const { return "begin round"; }
  std::string operator()(const Check&) const { return "check"; }
  std::string operator()(const SetGuard& e) const {
    return fmt::format("keep grace {}", e.grace.count());
  }
  std::string operator()(const StartTask& e) const { return fmt::format("start {}", e.rank.value); }
  std::string operator()(const SignalTask& e) const {
    return fmt::format("signal {} {}", e.rank.value, e.number);
  }
  std::string operator()(const TraceTask& e) const {
    return fmt::format("trace {}{}", e.rank.value, e.stack ? " with stack" : "");
  }
  std::string operator()(const WriteInput& e) const { return "write " + e.bytes; }
  std::string operator()(const CloseInput&) const { return "close input"; }
  std::string operator()(const AddCredit& e) const { return fmt::format("credit {}", e.bytes); }
  std::string operator()(const ToWireup&) const { return "to wire-up"; }
  std::string operator()(const AnswerLauncherHere&) const { return "to launcher"; }
  std::string operator()(const Sweep&) const { return "sweep"; }
  std::string operator()(const DrainStreams&) const { return "drain"; }
  std::string operator()(const DiscardOutput&) const { return "discard"; }
  std::string operator()(const LookForHead& e) const {
    return fmt::format("look for the head, lease {} ms", e.lease.count());
  }
  std::string operator()(const DropLink& e) const { return "drop link: " + e.why; }
  std::string operator()(const Quit&) const { return "quit"; }
};

}  // namespace

wire::World world_of(std::uint32_t ranks, std::uint32_t number, std::uint32_t first) {
  wire::World world;
  world.number = number;
  world.first = Rank(first);
  world.spec.apps = {{}};
  world.spec.apps.front().command = {"program"};
  world.kept = {{}};
  world.plan.nodes.resize(1);
  world.point.addresses = {""};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    world.plan.nodes.front().ranks.emplace_back(rank);
    world.plan.ranks.push_back({base::NodeIndex(0), rank});
  }
  return world;
}

Words AgentFixture::now(AgentEvent event) {
  AgentEffects effects;
  machine_.step(now_, std::move(event), effects);
  Words words;
  for (const AgentEffect& effect : effects) words.push_back(std::visit(DoneByAgent{}, effect));
  return words;
}

Words AgentFixture::at(Duration time, AgentEvent event) {
  now_ = kStart + time;
  return now(std::move(event));
}

Words AgentFixture::order(const wire::World& world, wire::Prepare own) {
  EXPECT_EQ(hear(world), Words{});
  own.world = world.number;
  return hear(own);
}

void AgentFixture::make_ready(std::uint32_t ranks) {
  wire::Hello hello;
  hello.lease_ms = 8000;
  hello.grace_ms = 3000;
  hear(hello);
  order(world_of(ranks));
  now(Checked{});
}

void AgentFixture::make_running(std::uint32_t ranks) {
  make_ready(ranks);
  hear(wire::Start{});
  for (std::uint32_t rank = 0; rank < ranks; ++rank) now(TaskSpawned{Rank(rank), 100, {}});
}

Words AgentFixture::ended(std::uint32_t rank) {
  model::RankExit exit;
  exit.rank = Rank(rank);
  return now(TaskEnded{exit});
}

Words AgentFixture::streams_end(std::uint32_t rank) {
  Words words = now(StreamEnded{Rank(rank), wire::Stream::out});
  for (std::string& word : now(StreamEnded{Rank(rank), wire::Stream::err})) {
    words.push_back(std::move(word));
  }
  return words;
}

std::int64_t AgentFixture::deadline() const {
  const auto deadline = machine_.deadline();
  if (!deadline) return -1;
  return std::chrono::duration_cast<Duration>(*deadline - kStart).count();
}

}  // namespace muster::machine
