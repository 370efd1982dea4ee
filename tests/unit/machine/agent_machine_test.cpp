// AgentMachine: its states, the order of its effects, and the awkward cases its header names.
#include <csignal>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "unit/machine/agent_fixture.hpp"

namespace muster::machine::agent_machine_test {
namespace {

using base::Rank;
using std::chrono::seconds;

base::Error cannot(const char* why) { return {base::Fault::cannot_start, why, {}, {}}; }

class Agent : public AgentFixture {};

TEST_F(Agent, CpusThatOtherJobsHoldAreToldAndAnotherPrepareMayCome) {
  hear(wire::Hello{});
  wire::Prepare orders;
  orders.claims = model::CpuSet::of(1);
  EXPECT_EQ(order(world_of(1), orders), Words{"check"});
  EXPECT_EQ(now(Checked{{}, 1, wire::Taken{model::CpuSet::range(0, 1)}}), Words{"Taken 0-1"});
  EXPECT_EQ(hear(wire::Start{}), Words{}) << "nothing is prepared";
  EXPECT_EQ(hear(orders), Words{"check"});
  EXPECT_EQ(now(Checked{}), Words{"Prepared"});
  EXPECT_EQ(hear(wire::Start{}), Words{"start 0"});
}

TEST_F(Agent, SaysWhatRunsOutsideTheEnvironmentOfTheUser) {
  hear(wire::Hello{});
  order(world_of(1));
  EXPECT_EQ(now(Checked{{}, 1, {}, "/usr/bin/python"}), Words{"Prepared /usr/bin/python"});
}

TEST_F(Agent, GreetsWithItsHardwareWhenAsked) {
  wire::Hello hello;
  hello.topology = true;
  EXPECT_EQ(hear(hello), (Words{"keep grace 0", "read topology"}));
  model::Topology topology;
  topology.allowed = model::CpuSet::range(0, 7);
  model::SharedTopology shared{std::make_shared<const model::Topology>(topology)};
  EXPECT_EQ(now(TopologyRead{shared}), Words{"Welcome"});
}

TEST_F(Agent, SaysWhyItsHardwareCannotBeRead) {
  wire::Hello hello;
  hello.topology = true;
  hear(hello);
  const base::Error missing{base::Fault::cannot_start, "hwloc is missing", {}, {}};
  EXPECT_EQ(now(TopologyRead{tl::unexpected(missing)}), Words{"Refused hwloc is missing"});
}

TEST_F(Agent, GreetsWithPortsForItsRanksWhenAsked) {
  wire::Hello hello;
  hello.ports = 2;
  EXPECT_EQ(hear(hello), (Words{"keep grace 0", "claim 2 ports"}));
  EXPECT_EQ(now(PortsClaimed{std::vector<std::uint16_t>{7000, 7001}}),
            Words{"Welcome, ports 7000 7001"});
}

TEST_F(Agent, RefusesWithoutEnoughPorts) {
  wire::Hello hello;
  hello.ports = 2;
  hear(hello);
  const base::Error none{base::Fault::internal, "no TCP port is free", {}, {}};
  EXPECT_EQ(now(PortsClaimed{tl::unexpected(none)}), Words{"Refused no TCP port is free"});
}

TEST_F(Agent, TakesTheWholeWay) {
  EXPECT_EQ(hear(wire::Hello{}), (Words{"keep grace 0", "Welcome"}));
  EXPECT_EQ(order(world_of(2)), Words{"check"});
  EXPECT_EQ(now(Checked{}), Words{"Prepared"});
  EXPECT_EQ(hear(wire::Start{}), (Words{"start 0", "start 1"}));
  EXPECT_EQ(now(TaskSpawned{Rank(0), 7, {}}), Words{"Started 0"});
  EXPECT_EQ(now(TaskSpawned{Rank(1), 8, {}}), Words{"Started 1"});
  EXPECT_EQ(ended(0), Words{"Exited 0"});
  EXPECT_EQ(streams_end(1), (Words{"OutputEnd 1", "OutputEnd 1"})) << "before its task";
  EXPECT_EQ(ended(1), (Words{"Exited 1", "sweep"}));
  EXPECT_EQ(now(SweepDone{{"pid 9 (x)"}}), Words{"drain"});
  EXPECT_EQ(streams_end(0), (Words{"OutputEnd 0", "OutputEnd 0", "Stopped 0 1"}));
  EXPECT_EQ(ended(0), Words{}) << "nothing follows Stopped";
  EXPECT_EQ(hear(wire::Bye{}), Words{"quit"});
}

TEST_F(Agent, RefusesWithoutStarting) {
  hear(wire::Hello{});
  order(world_of(1));
  Checked checked;
  checked.error = base::Error{base::Fault::cannot_start, "no such program", {}, {}};
  EXPECT_EQ(now(checked), Words{"Refused no such program"});
  EXPECT_EQ(hear(wire::Start{}), Words{});
  EXPECT_EQ(now(LinkClosed{}), Words{"quit"});
}

// A head that says so is broken, or no head of this version.
TEST_F(Agent, RefusesOrdersThatContradictThemselves) {
  hear(wire::Hello{});
  EXPECT_EQ(hear(wire::Prepare{}), Words{"Refused ranks of an unknown world were ordered"});
  hear(world_of(2, 2));
  EXPECT_EQ(hear(wire::Prepare{}), Words{"Refused world 1 was ordered, but not described"});
  wire::Prepare other;
  other.node = base::NodeIndex(1);
  EXPECT_EQ(order(world_of(2), other), Words{"Refused there is no node 1 in world 1, which has 1"});
  wire::Prepare bound;
  bound.bindings = {model::kUnbound};
  EXPECT_EQ(order(world_of(2), bound), Words{"Refused the bindings do not match the ranks"});
  bound.bindings = {model::kUnbound, 0};
  EXPECT_EQ(order(world_of(2), bound), Words{"Refused the bindings do not match the ranks"});
  bound.sets = {model::CpuSet::of(1)};
  EXPECT_EQ(order(world_of(2), bound), Words{"check"});
}

TEST_F(Agent, DeclinesWorldsThatContradictOthers) {
  make_running(2);
  EXPECT_EQ(order(world_of(1, 2, 1)), Words{"Declined rank 1 was ordered twice"});
  EXPECT_EQ(order(world_of(1, 2, 2)), Words{"check"});
  EXPECT_EQ(order(world_of(1, 2, 3)), Words{"Declined world 2 was ordered late"});
}

// World is told again for each round.
TEST_F(Agent, KeepsNoWorldOnceItsRanksStart) {
  make_running(1);
  wire::Prepare again;
  again.world = 2;
  EXPECT_EQ(hear(again), Words{"Declined ranks of an unknown world were ordered"});
}

TEST_F(Agent, OneTaskThatCannotStartEndsTheOthers) {
  make_ready(2);
  hear(wire::Start{});
  now(TaskSpawned{Rank(0), 7, {}});
  EXPECT_EQ(now(TaskSpawned{Rank(1), 0, cannot("no memory")}),
            (Words{"Refused rank 1 could not be started: no memory",
                   fmt::format("signal 0 {}", SIGTERM), fmt::format("signal 0 {}", SIGCONT)}));
  EXPECT_EQ(deadline(), 3000);
  EXPECT_EQ(ended(0), (Words{"Exited 0", "sweep"}));
}

TEST_F(Agent, NoTaskThatCanStartIsSweptAtOnce) {
  make_ready(1);
  hear(wire::Start{});
  const Words said = now(TaskSpawned{Rank(0), 0, cannot("x")});
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.back(), "sweep");
}

TEST_F(Agent, StopReachesTasksWhoseStartIsUnderWay) {
  make_ready(1);
  hear(wire::Start{});
  EXPECT_EQ(hear(wire::Stop{SIGTERM, 1000}),
            (Words{fmt::format("signal 0 {}", SIGTERM), fmt::format("signal 0 {}", SIGCONT)}));
  EXPECT_EQ(now(TaskSpawned{Rank(0), 7, {}}), Words{"Started 0"});
  EXPECT_EQ(at(seconds(1), Tick{}), Words{"sweep"});
}

TEST_F(Agent, StopBeforeStartIsDone) {
  make_ready(1);
  EXPECT_EQ(hear(wire::Stop{SIGTERM, 1000}), Words{"Stopped 0 0"});
  EXPECT_EQ(hear(wire::Start{}), Words{});
}

TEST_F(Agent, TellsWhatItsTasksDo) {
  make_running(2);
  ended(0);
  EXPECT_EQ(hear(wire::Trace{true}), Words{"trace 1 with stack"});
  EXPECT_EQ(now(TaskTraced{{Rank(1), "sleeping", "#0 main ()\n"}}), Words{"Traced sleeping"});
  hear(wire::Stop{SIGTERM, 1000});
  EXPECT_EQ(hear(wire::Trace{}), Words{}) << "they are being ended";
}

TEST_F(Agent, CutsLongStacksAtALine) {
  make_running(1);
  const auto told = [&](const std::string& stack) {
    AgentEffects effects;
    machine_.step(now_, TaskTraced{{Rank(0), "sleeping", stack}}, effects);
    return std::get<wire::Traced>(std::get<ToHead>(effects.at(0)).message).stack;
  };
  const std::string line = std::string(999, 'x') + "\n";
  std::string lines;
  while (lines.size() <= wire::kStackMax) lines += line;
  EXPECT_EQ(told(lines), lines.substr(0, lines.size() - line.size()));
  const std::string most(wire::kStackMax, 'x');
  EXPECT_EQ(told(most), most);
  EXPECT_EQ(told(most + "x"), most);
}

TEST_F(Agent, ASecondStopOnlyHastens) {
  make_running(2);
  hear(wire::Stop{SIGTERM, 3000});
  EXPECT_EQ(hear(wire::Stop{SIGTERM, 9000}), Words{}) << "no second signal, no longer grace";
  EXPECT_EQ(deadline(), 3000);
  EXPECT_EQ(hear(wire::Stop{SIGTERM, 2000}), Words{});
  EXPECT_EQ(deadline(), 2000);
  EXPECT_EQ(hear(wire::Stop{0, 0}), Words{"sweep"});
  EXPECT_EQ(hear(wire::Stop{0, 0}), Words{});
  ended(0);
  ended(1);
  now(SweepDone{});
  streams_end(0);
  EXPECT_EQ(streams_end(1).back(), "Stopped 2 0") << "both needed SIGKILL";
}

TEST_F(Agent, ALostLinkEndsTheTasksSilently) {
  make_running(1);
  EXPECT_EQ(now(LinkClosed{}), (Words{"discard", fmt::format("signal 0 {}", SIGTERM),
                                      fmt::format("signal 0 {}", SIGCONT)}));
  EXPECT_EQ(deadline(), 3000) << "the head's grace is shorter than kOrphanGrace";
  EXPECT_EQ(ended(0), Words{"sweep"}) << "our own signal is not the rank's failure";
  EXPECT_EQ(now(SweepDone{}), Words{"drain"});
  EXPECT_EQ(streams_end(0), Words{"quit"});
  EXPECT_EQ(deadline(), -1);
}

TEST_F(Agent, ALostGuardIsAFaultWhileTasksRun) {
  make_running(1);
  EXPECT_EQ(now(GuardLost{}),
            (Words{"Refused muster's guard process was killed; its tasks were ended", "drain"}));
  EXPECT_EQ(streams_end(0), (Words{"OutputEnd 0", "OutputEnd 0", "Stopped 0 0"}));
}

TEST_F(Agent, AGuardLostBeforeTheStartIsAFaultAtOnce) {
  make_ready(1);
  EXPECT_EQ(now(GuardLost{}), Words{"Refused muster's guard process was killed before the start"});
  EXPECT_EQ(hear(wire::Start{}), Words{"Stopped 0 0"}) << "nobody could start anything";
}

// It does not know before for which run it would refuse.
TEST_F(Agent, AGuardLostBeforeTheGreetingIsAFaultThen) {
  EXPECT_EQ(now(GuardLost{}), Words{});
  EXPECT_EQ(hear(wire::Hello{}),
            Words{"Refused muster's guard process was killed before the start"});
}

TEST_F(Agent, AGuardLostAfterTheLastTaskDoesNoHarm) {
  make_running(1);
  ended(0);
  EXPECT_EQ(now(GuardLost{}), Words{"drain"}) << "during the sweep, which the adapter has finished";
  EXPECT_EQ(now(GuardLost{}), Words{});
  EXPECT_EQ(streams_end(0).back(), "Stopped 0 0");
  EXPECT_EQ(now(GuardLost{}), Words{});
}

TEST_F(Agent, SignalsGoToTasksThatLive) {
  make_running(2);
  ended(0);
  EXPECT_EQ(hear(wire::Signal{SIGUSR1}), Words{fmt::format("signal 1 {}", SIGUSR1)});
}

TEST_F(Agent, InputAndCreditOfStrangeRanksAreIgnored) {
  make_running(1);
  EXPECT_EQ(hear(wire::Input{Rank(0), "abc"}), Words{"write abc"});
  EXPECT_EQ(hear(wire::Input{Rank(5), "abc"}), Words{});
  EXPECT_EQ(hear(wire::InputEnd{Rank(0)}), Words{"close input"});
  EXPECT_EQ(hear(wire::InputEnd{Rank(5)}), Words{});
  EXPECT_EQ(hear(wire::Credit{Rank(0), wire::Stream::out, 9}), Words{"credit 9"});
  EXPECT_EQ(hear(wire::Credit{Rank(5), wire::Stream::out, 9}), Words{});
  EXPECT_EQ(now(InputTaken{Rank(0), 3}), Words{"InputCredit 3"});
}

// ---- rounds -------------------------------------------------------------------------------------

TEST_F(Agent, BeginsAnotherRoundWhenGreetedAgain) {
  make_running(2);
  ended(0);
  hear(wire::Stop{15, 3000});
  ended(1);
  now(SweepDone{});
  streams_end(0);
  EXPECT_EQ(streams_end(1).back(), "Stopped 0 0");
  EXPECT_EQ(hear(wire::Hello{}), Words{"begin round"});
  EXPECT_EQ(now(RoundBegun{4711}), Words{"Welcome"});
  EXPECT_EQ(order(world_of(1)), Words{"check"});
  EXPECT_EQ(now(Checked{}), Words{"Prepared"});
  EXPECT_EQ(hear(wire::Start{}), Words{"start 0"});
}

TEST_F(Agent, BeginsNoRoundWithoutItsGuard) {
  make_running(1);
  now(GuardLost{});
  streams_end(0);
  EXPECT_EQ(hear(wire::Hello{}),
            Words{"Refused muster's guard process was killed before the start"});
}

// ---- who has called MPI_Init --------------------------------------------------------------------

TEST_F(Agent, TellsOfTheFirstAndTheLastInMpiInit) {
  make_running(3);
  EXPECT_EQ(now(JoinedWorld{Rank(1)}), Words{"Attendance 1"});
  EXPECT_EQ(now(JoinedWorld{Rank(0)}), Words{});
  EXPECT_EQ(now(JoinedWorld{Rank(2)}), Words{"Attendance 0 2"});
}

TEST_F(Agent, TellsOfAllInMpiInitBeforeAnExitAndBeforeTheEnd) {
  make_running(4);
  now(JoinedWorld{Rank(0)});
  now(JoinedWorld{Rank(1)});
  EXPECT_EQ(ended(1), (Words{"Attendance 1", "Exited 1"}));
  now(JoinedWorld{Rank(2)});
  EXPECT_EQ(hear(wire::Stop{15, 3000}).front(), "Attendance 2");
}

TEST_F(Agent, LearnsNothingOfMpiInitFromWhatIsNoTask) {
  make_running(1);
  EXPECT_EQ(now(JoinedWorld{Rank(7)}), Words{});
}

// ---- spawned worlds -----------------------------------------------------------------------------

wire::World world_2(std::uint32_t rank) { return world_of(1, 2, rank); }

TEST_F(Agent, AddsTasksWhileOthersRun) {
  make_running(1);
  EXPECT_EQ(order(world_2(1)), Words{"check"});
  EXPECT_EQ(now(Checked{{}, 2}), Words{"Prepared world 2"});
  EXPECT_EQ(ended(0), Words{"Exited 0"}) << "planned tasks keep the host";
  EXPECT_EQ(hear(wire::Start{2}), Words{"start 1"});
  EXPECT_EQ(now(TaskSpawned{Rank(1), 101, {}}), Words{"Started 1"});
  EXPECT_EQ(ended(1), (Words{"Exited 1", "sweep"}));
}

TEST_F(Agent, DeclinesWhatItCannotStartAndGoesOn) {
  make_running(1);
  order(world_2(1));
  EXPECT_EQ(now(Checked{base::Error{base::Fault::cannot_start, "no program", {}, {}}, 2}),
            Words{"Declined no program"});
  EXPECT_EQ(hear(wire::Drop{2}), Words{});
  EXPECT_EQ(ended(0), (Words{"Exited 0", "sweep"}));
}

TEST_F(Agent, SweepsOnceAPlannedWorldIsDropped) {
  make_running(1);
  order(world_2(1));
  now(Checked{{}, 2});
  ended(0);
  EXPECT_EQ(hear(wire::Drop{2}), Words{"sweep"});
  now(SweepDone{});
  EXPECT_EQ(streams_end(0), (Words{"OutputEnd 0", "OutputEnd 0", "Stopped 0 0"}));
}

TEST_F(Agent, ForgetsPlannedTasksWhenTheJobEnds) {
  make_running(1);
  order(world_2(1));
  now(Checked{{}, 2});
  EXPECT_EQ(hear(wire::Signal{10}), Words{"signal 0 10"}) << "and does not signal them";
  EXPECT_EQ(hear(wire::Stop{15, 3000}), (Words{"signal 0 15", "signal 0 18"}));
  EXPECT_EQ(hear(wire::Start{2}), Words{});
  EXPECT_EQ(ended(0), (Words{"Exited 0", "sweep"}));
}

TEST_F(Agent, ForgetsPlannedTasksWithItsGuard) {
  make_running(1);
  order(world_2(1));
  now(GuardLost{});
  EXPECT_EQ(now(Checked{{}, 2}), Words{});
  EXPECT_EQ(streams_end(0).back(), "Stopped 0 0");
}

TEST_F(Agent, MayHaveNoTasksButAddedOnes) {
  hear(wire::Hello{});
  EXPECT_EQ(hear(wire::PmixDown{wire::pmix::Reply{}}), Words{});
  EXPECT_EQ(order(world_2(1)), Words{"check"});
  EXPECT_EQ(now(Checked{{}, 2}), Words{"Prepared world 2"});
  wire::pmix::Job job;
  job.nodes.resize(1);
  const auto shared = std::make_shared<const wire::pmix::Job>(job);
  EXPECT_EQ(hear(wire::PmixDown{wire::pmix::AddJob{shared}}), Words{"to wire-up"})
      << "before any of its tasks runs";
  EXPECT_EQ(hear(wire::Start{2}), Words{"start 1"});
  now(TaskSpawned{Rank(1), 101, {}});
  EXPECT_EQ(ended(1), (Words{"Exited 1", "sweep"}));
}

TEST_F(Agent, RefusesAWorldThatHasNoPlaceForIt) {
  make_running(1);
  EXPECT_EQ(hear(wire::PmixDown{wire::pmix::AddJob{}}).front(),
            "Refused world 1 does not include this host");
}

TEST_F(Agent, WithoutTasksWaitsForOthersWhenSomeAreDropped) {
  hear(wire::Hello{});
  order(world_2(1));
  now(Checked{{}, 2});
  EXPECT_EQ(hear(wire::Drop{2}), Words{});
  EXPECT_EQ(order(world_2(1)), Words{"check"});
  EXPECT_EQ(now(LinkClosed{}), Words{"quit"});
}

TEST_F(Agent, StartsNoFirstTaskWithoutItsGuard) {
  hear(wire::Hello{});
  order(world_2(1));
  now(Checked{{}, 2});
  EXPECT_EQ(now(GuardLost{}).size(), 1U) << "refuses";
  EXPECT_EQ(hear(wire::Start{2}), Words{"Stopped 0 0"});
}

TEST_F(Agent, AddsNothingToWhatHasEnded) {
  make_running(1);
  ended(0);
  EXPECT_EQ(order(world_2(1)), Words{});
}

}  // namespace
}  // namespace muster::machine::agent_machine_test
