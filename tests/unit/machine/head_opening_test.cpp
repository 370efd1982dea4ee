// HeadMachine on its way up: links, greetings, orders, start.
#include <algorithm>
#include <csignal>

#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine {
namespace {

base::Error refused(const std::string& what) { return {base::Fault::unreachable, what, {}, {}}; }

TEST_F(HeadFixture, StartsOnlyWhenEveryHostIsPrepared) {
  make({model::kLocal, model::kOpened}, 2);
  EXPECT_EQ(start(), (Words{"open a", "open b"}));
  EXPECT_EQ(now(LinkUp{kA}), Words{"a Hello"});
  EXPECT_EQ(now(LinkUp{kB}), Words{"b Hello"});
  EXPECT_EQ(hear(kB, wire::Welcome{}), Words{});
  EXPECT_EQ(hear(kA, wire::Welcome{}), (Words{"a Prepare 2", "b Prepare 2"}));
  EXPECT_EQ(hear(kB, wire::Prepared{}), Words{});
  EXPECT_EQ(hear(kB, wire::Prepared{}), Words{}) << "one host twice is not every host";
  EXPECT_EQ(hear(kA, wire::Prepared{}), (Words{"a Start", "b Start"}));
}

TEST_F(HeadFixture, TellsOnceWhichHostsLackTheEnvironmentOfTheShell) {
  spec_.apps.front().python_program = "python";
  spec_.apps.front().python_environment = "/home/venv";
  make({model::kLocal, model::kOpened, model::kOpened});
  start();
  const base::NodeIndex c(2);
  for (const auto node : {kA, kB, c}) now(LinkUp{node});
  for (const auto node : {kA, kB, c}) hear(node, wire::Welcome{});
  EXPECT_EQ(hear(c, wire::Prepared{1, "/opt/python"}), Words{});
  EXPECT_EQ(hear(kA, wire::Prepared{}), Words{});
  EXPECT_EQ(hear(kB, wire::Prepared{1, "/usr/bin/\x1b[1mpython"}),
            (Words{"say b, c: no /home/venv, the environment that your shell is in; ranks run "
                   "/usr/bin/python there",
                   "a Start", "b Start", "c Start"}));
}

TEST_F(HeadFixture, TellsOnceWhichHostsBindNoMemory) {
  make({model::kLocal, model::kOpened});
  start();
  for (const auto node : {kA, kB}) now(LinkUp{node});
  for (const auto node : {kA, kB}) hear(node, wire::Welcome{});
  EXPECT_EQ(hear(kB, wire::Prepared{1, "", "Operation not \x1b[1mpermitted"}), Words{});
  EXPECT_EQ(hear(kA, wire::Prepared{}),
            (Words{"say b: memory is not bound there: the kernel refuses it (Operation not "
                   "permitted)",
                   "a Start", "b Start"}));
}

TEST_F(HeadFixture, TellsOnceWhereGpusCannotBeAskedFor) {
  make({model::kLocal, model::kOpened, model::kOpened});
  start();
  const base::NodeIndex c(2);
  for (const auto node : {kA, kB, c}) now(LinkUp{node});
  for (const auto node : {kA, kB, c}) hear(node, wire::Welcome{});
  EXPECT_EQ(hear(c, wire::Prepared{1, "", "", "smi does not answer within 5 s"}), Words{});
  EXPECT_EQ(hear(kB, wire::Prepared{1, "", "", "smi does \x1b[1mnot answer within 5 s"}), Words{});
  EXPECT_EQ(hear(kA, wire::Prepared{}),
            (Words{"say b, c: smi does not answer within 5 s, so which GPU a part belongs to is "
                   "not known there: another job may use that GPU as a whole",
                   "a Start", "b Start", "c Start"}));
}

TEST_F(HeadFixture, VerboseTellsOverWhichNetworkTheHostsTalk) {
  spec_.verbose = true;
  make({model::kOpened, model::kOpened});
  start();
  now(LinkUp{kA});
  now(LinkUp{kB});
  wire::Welcome welcome;
  welcome.facts.interfaces = {{"docker0", "172.17.0.1"}, {"eth1", "10.0.0.1"}};
  welcome.facts.reached_at = "10.0.0.1";
  welcome.facts.port = 4242;
  hear(kA, welcome);
  welcome.facts.interfaces = {{"eth0", "10.0.0.2"}};
  welcome.facts.reached_at = "";
  welcome.facts.rdma = true;
  EXPECT_EQ(hear(kB, welcome),
            (Words{"say a: ranks talk over eth1 at 10.0.0.1: ssh reached it there",
                   "say b: ranks talk over eth0 at 10.0.0.2: the first that is not a bridge, "
                   "container or tunnel; RDMA is left to MPI",
                   "say MASTER_ADDR=10.0.0.1 MASTER_PORT=4242", "a Prepare 1", "b Prepare 1"}));
}

TEST_F(HeadFixture, HostsThatAreOneEndTheRunBeforeItBegins) {
  make({model::kLocal, model::kOpened, model::kOpened}, 3);
  start();
  wire::Welcome welcome;
  for (const auto node : {kA, kB, base::NodeIndex(2)}) now(LinkUp{node});
  welcome.facts.identity = "this one";
  EXPECT_EQ(hear(kA, welcome), Words{});
  welcome.facts.identity = "boot pid net 0";
  welcome.facts.reached_at = "10.0.0.2";
  EXPECT_EQ(hear(kB, welcome), Words{});
  EXPECT_EQ(hear(base::NodeIndex(2), welcome), (Words{"a Bye", "b Bye", "c Bye"}));
  now(LinkLost{kB, lost("ended")});
  EXPECT_EQ(now(LinkLost{base::NodeIndex(2), lost("ended")}), Words{"finish"});
  const auto same = machine_->report().same_hosts;
  ASSERT_EQ(same.size(), 1U);
  EXPECT_EQ(same[0].first.name, "b");
  EXPECT_EQ(same[0].other.name, "c");
}

TEST_F(HeadFixture, ASurveyEndsWithTheGreetings) {
  survey_ = true;
  make({model::kOpened, model::kOpened}, 0);
  start();
  now(LinkUp{kA});
  now(LinkUp{kB});
  wire::Welcome welcome;
  welcome.facts.cpus.usable = 12;
  EXPECT_EQ(hear(kA, welcome), Words{});
  EXPECT_EQ(hear(kB, wire::Welcome{}), (Words{"a Bye", "b Bye"}));
  EXPECT_EQ(now(LinkLost{kA, lost("ended")}), Words{});
  EXPECT_EQ(now(LinkLost{kB, lost("ended")}), Words{"finish"});
  EXPECT_EQ(exit_code(), 0);
  EXPECT_EQ(machine_->facts(kA)->cpus.usable, 12U);
}

TEST_F(HeadFixture, ASurveyFailsWithAHostThatCannotSay) {
  survey_ = true;
  make({model::kOpened, model::kOpened}, 0);
  start();
  now(LinkUp{kA});
  now(LinkUp{kB});
  hear(kA, wire::Welcome{});
  const base::Error missing{base::Fault::cannot_start, "hwloc is missing", {}, {}};
  EXPECT_EQ(hear(kB, wire::Refused{missing}), (Words{"a Bye", "b Bye"}));
  now(LinkLost{kA, lost("ended")});
  EXPECT_EQ(now(LinkLost{kB, lost("ended")}), Words{"finish"});
  EXPECT_EQ(cause(), "b: hwloc is missing");
}

// Four cores; each rank is bound to one.
void bind_to_cores(model::Plan& plan) {
  model::Topology topology;
  for (std::uint32_t cpu = 0; cpu < 4; ++cpu) {
    topology.at(model::Level::hwthread).push_back(model::CpuSet::of(cpu));
    topology.at(model::Level::core).push_back(model::CpuSet::of(cpu));
  }
  topology.at(model::Level::machine).push_back(model::CpuSet::range(0, 3));
  topology.allowed = model::CpuSet::range(0, 3);
  plan.mapping.bind_to = model::BindTo::object;
  plan.mapping.bind_given = true;
  for (model::PlannedNode& node : plan.nodes) {
    node.host.topology.value = std::make_shared<const model::Topology>(topology);
  }
  for (model::PlannedRank& rank : plan.ranks) {
    rank.binding = rank.local_rank;
    if (plan.sets.size() <= rank.local_rank)
      plan.sets.push_back(model::CpuSet::of(rank.local_rank));
  }
}

TEST_F(HeadFixture, AHostWhoseCpusAreTakenIsPlannedAgain) {
  shape_ = bind_to_cores;
  make({model::kOpened, model::kOpened});
  start();
  now(LinkUp{kA});
  now(LinkUp{kB});
  hear(kA, wire::Welcome{});
  hear(kB, wire::Welcome{});
  EXPECT_EQ(hear(kB, wire::Prepared{}), Words{});
  EXPECT_EQ(hear(kA, wire::Taken{model::CpuSet::range(0, 1)}), Words{"a Prepare 1"});
  EXPECT_EQ(hear(kA, wire::Taken{model::CpuSet::range(0, 3)}),
            (Words{"say ranks on a are not bound: other jobs of muster are bound to cpus 0-3 there",
                   "a Prepare 1"}));
  EXPECT_EQ(hear(kA, wire::Prepared{}), (Words{"a Start", "b Start"}));
}

TEST_F(HeadFixture, AnAgentThatNeverHasCpusIsNotAskedForEver) {
  shape_ = bind_to_cores;
  make({model::kOpened});
  start();
  now(LinkUp{kA});
  hear(kA, wire::Welcome{});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(hear(kA, wire::Taken{}), Words{"a Prepare 1"});
  EXPECT_EQ(hear(kA, wire::Taken{}).size(), 2U);
  EXPECT_EQ(hear(kA, wire::Taken{}), Words{});
}

wire::Welcome with_gpus(std::vector<std::string> ids, std::vector<std::string> claimed = {}) {
  wire::Welcome welcome;
  welcome.facts.devices = {{"CUDA_VISIBLE_DEVICES", std::move(ids)}};
  if (!claimed.empty()) welcome.facts.claimed = {{"CUDA_VISIBLE_DEVICES", std::move(claimed)}};
  return welcome;
}

wire::Taken takes_gpus(std::vector<std::string> ids, std::vector<std::uint32_t> holders = {}) {
  return {{}, {{"CUDA_VISIBLE_DEVICES", std::move(ids), std::move(holders)}}};
}

TEST_F(HeadFixture, DevicesOfOtherJobsAreLeftToThem) {
  spec_.gpus_per_rank = 1;
  make({model::kOpened});
  start();
  now(LinkUp{kA});
  EXPECT_EQ(hear(kA, with_gpus({"0", "1", "2", "3", "4", "5"}, {"1"})),
            (Words{"say device 1 on a: in use by another job of muster; ranks there have others",
                   "a Prepare 1"}));
  EXPECT_EQ(hear(kA, takes_gpus({"0", "2"})),
            (Words{"say devices 0,2 on a: in use by another job of muster; ranks there have others",
                   "a Prepare 1"}));
  EXPECT_EQ(hear(kA, takes_gpus({"3"}, {1001, 1002})),
            (Words{"say device 3 on a: in use by another job of muster (uid 1001, 1002); ranks "
                   "there have others",
                   "a Prepare 1"}));
  EXPECT_EQ(hear(kA, wire::Prepared{}), Words{"a Start"});
}

TEST_F(HeadFixture, OfDevicesOfWhichOnlyANumberIsNamedOthersAreTaken) {
  spec_.gpus_per_rank = 1;
  shape_ = [](model::Plan& plan) { plan.nodes.front().host.visible = "0,2,3"; };
  make({model::kOpened});
  start();
  now(LinkUp{kA});
  EXPECT_EQ(hear(kA, with_gpus({"0", "1", "2", "3"}, {"0"})),
            (Words{"say device 0 on a: in use by another job of muster; ranks there have others",
                   "a Prepare 1"}));
  EXPECT_EQ(hear(kA, takes_gpus({"2"})),
            (Words{"say device 2 on a: in use by another job of muster; ranks there have others",
                   "a Prepare 1"}));
  EXPECT_EQ(hear(kA, takes_gpus({"3"})).back(), "a Bye");
  now(LinkLost{kA, lost("ended")});
  EXPECT_NE(cause().find("a has 3 devices, 3 of them in use by other jobs of muster"),
            std::string::npos)
      << cause();
}

// However many jobs come at the same instant, each finds what is free.
TEST_F(HeadFixture, EveryDeviceIsTriedBeforeAJobGivesUp) {
  spec_.gpus_per_rank = 1;
  make({model::kOpened});
  start();
  now(LinkUp{kA});
  hear(kA, with_gpus({"0", "1", "2", "3", "4", "5"}));
  for (const char* one : {"0", "1", "2", "3", "4"}) {
    const Words told = hear(kA, takes_gpus({one}));
    ASSERT_FALSE(told.empty()) << one;
    EXPECT_EQ(told.back(), "a Prepare 1") << one;
  }
  EXPECT_EQ(hear(kA, takes_gpus({"5"})).back(), "a Bye");
}

TEST_F(HeadFixture, AnAgentThatNamesDevicesOfNobodyIsNotAskedForEver) {
  spec_.gpus_per_rank = 1;
  make({model::kOpened});
  start();
  now(LinkUp{kA});
  hear(kA, with_gpus({"0"}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(hear(kA, takes_gpus({"7"})), Words{"a Prepare 1"});
  EXPECT_EQ(hear(kA, takes_gpus({"7"})), Words{});
}

TEST_F(HeadFixture, AJobThatIsLeftTooFewDevicesDoesNotStart) {
  spec_.gpus_per_rank = 1;
  make({model::kOpened});
  start();
  now(LinkUp{kA});
  hear(kA, with_gpus({"0"}));
  EXPECT_EQ(hear(kA, takes_gpus({"0"})).back(), "a Bye");
  now(LinkLost{kA, lost("ended")});
  EXPECT_NE(cause().find("a has 1 device, in use by another job of muster, but its 1 rank needs 1"),
            std::string::npos)
      << cause();
}

TEST_F(HeadFixture, OneRefusalMeansThatNothingStarts) {
  make({model::kOpened, model::kOpened});
  start();
  now(LinkUp{kA});
  now(LinkUp{kB});
  hear(kA, wire::Welcome{});
  hear(kB, wire::Welcome{});
  hear(kA, wire::Prepared{});
  const base::Error missing{base::Fault::cannot_start, "no such program", {}, {}};
  EXPECT_EQ(hear(kB, wire::Refused{missing}), (Words{"a Bye", "b Bye"}));
  EXPECT_EQ(now(LinkLost{kA, lost("ended")}), Words{});
  EXPECT_EQ(now(LinkLost{kB, lost("ended")}), Words{"finish"});
  EXPECT_EQ(cause(), "b: no such program");
  EXPECT_EQ(exit_code(), 244);
}

TEST_F(HeadFixture, AFailedAttemptIsMadeAgainWhenThatIsWorthIt) {
  make({model::kOpened});
  start();
  EXPECT_EQ(now(LinkFailed{kA, refused("a: busy"), Retry::patiently}), Words{});
  const std::int64_t next = deadline();
  EXPECT_GT(next, 0);
  EXPECT_EQ(at(static_cast<int>(next), HeadTick{}), Words{"open a"});
  EXPECT_EQ(now(LinkFailed{kA, refused("a: denied"), Retry::no}), Words{"finish"});
  EXPECT_EQ(cause(), "a: denied");
}

TEST_F(HeadFixture, AFailedHostClosesTheAttemptsAtOthersSoon) {
  make({model::kOpened, model::kOpened});
  start();
  EXPECT_EQ(at(50, LinkFailed{kA, refused("a: denied"), Retry::no}), Words{});
  EXPECT_EQ(deadline(), 1050);
  EXPECT_EQ(at(1050, HeadTick{}), (Words{"close b", "finish"}));
  EXPECT_EQ(cause(), "a: denied");
}

TEST_F(HeadFixture, HostsThatFailAboutTheSameTimeAreToldOfTogether) {
  make({model::kOpened, model::kOpened, model::kOpened, model::kOpened});
  start();
  const base::NodeIndex c(2);
  const base::NodeIndex d(3);
  now(LinkUp{c});
  EXPECT_EQ(at(100, LinkFailed{kB, refused("b: denied"), Retry::no}), Words{});
  EXPECT_EQ(at(200, LinkFailed{kA, refused("a: denied"), Retry::no}), Words{});
  hear(c, wire::Welcome{});
  EXPECT_EQ(at(300, LinkFailed{d, refused("d: is down"), Retry::no}), Words{"c Bye"})
      << "nobody else is waited for";
  EXPECT_EQ(cause(), "b: denied");
  const auto& also = machine_->report().error.also;
  ASSERT_EQ(also.size(), 2U);
  EXPECT_EQ(also[0].what, "a: denied");
  EXPECT_EQ(also[1].what, "d: is down");
}

TEST_F(HeadFixture, HostsThatRefuseAboutTheSameTimeAreToldOfTogether) {
  make({model::kOpened, model::kOpened, model::kOpened});
  start();
  const base::NodeIndex c(2);
  for (const auto node : {kA, kB, c}) now(LinkUp{node});
  for (const auto node : {kA, kB, c}) hear(node, wire::Welcome{});
  const base::Error missing{base::Fault::cannot_start, "no such program", {}, {}};
  EXPECT_EQ(hear(kB, wire::Refused{missing}), Words{});
  EXPECT_EQ(hear(c, wire::Refused{missing}), Words{});
  EXPECT_EQ(hear(kA, wire::Prepared{}), (Words{"a Bye", "b Bye", "c Bye"}));
  EXPECT_EQ(cause(), "b: no such program");
  ASSERT_EQ(machine_->report().error.also.size(), 1U);
  EXPECT_EQ(machine_->report().error.also[0].what, "c: no such program");
}

TEST_F(HeadFixture, AHostThatHasRefusedIsToldOfOnceWhenItsLinkBreaks) {
  make({model::kOpened, model::kOpened, model::kOpened});
  start();
  const base::NodeIndex c(2);
  for (const auto node : {kA, kB, c}) now(LinkUp{node});
  for (const auto node : {kA, kB, c}) hear(node, wire::Welcome{});
  hear(kB, wire::Refused{{base::Fault::cannot_start, "no such program", {}, {}}});
  EXPECT_EQ(now(LinkLost{kB, lost("b: reset")}), Words{}) << "the others are still waited for";
  hear(kA, wire::Prepared{});
  hear(c, wire::Prepared{});
  EXPECT_EQ(cause(), "b: no such program");
  EXPECT_TRUE(machine_->report().error.also.empty());
}

TEST_F(HeadFixture, AHostThatCouldNotBeReachedIsLetGoAtOnce) {
  make({model::kOpened, model::kOpened});
  start();
  EXPECT_EQ(now(LinkFailed{kA, refused("a: denied"), Retry::no}), Words{});
  EXPECT_EQ(now(LinkUp{kA}), Words{}) << "as for another run";
  EXPECT_EQ(at(1000, HeadTick{}), (Words{"close b", "finish"}));
  EXPECT_EQ(cause(), "a: denied");
}

TEST_F(HeadFixture, AnInterruptDoesNotWaitForHostsThatMayFail) {
  make({model::kOpened, model::kOpened});
  start();
  now(LinkFailed{kA, refused("a: denied"), Retry::no});
  EXPECT_EQ(at(100, UserSignal{SIGINT}), (Words{"close b", "finish"}));
  EXPECT_EQ(exit_code(), 130);
}

TEST_F(HeadFixture, AHostThatNeverAnswersIsNotWaitedForLongerThanThePatience) {
  spec_.carrier.patience = std::chrono::seconds(3);
  make({model::kOpened});
  start();
  // Progress is due at the same moment: an ended run tells none.
  EXPECT_EQ(at(3000, HeadTick{}), (Words{"close a", "finish"}));
  EXPECT_EQ(cause(), "a: no answer within 3 s");
  EXPECT_EQ(exit_code(), 243);
}

TEST_F(HeadFixture, TheMagicLineAloneIsNoAnswer) {
  spec_.carrier.patience = std::chrono::seconds(3);
  make({model::kOpened});
  start();
  at(100, LinkUp{kA});
  at(3000, HeadTick{});
  EXPECT_EQ(cause(), "a: no answer within 3 s");
}

TEST_F(HeadFixture, AgentsOnThisMachineHaveLongerToAnswer) {
  spec_.carrier.patience = std::chrono::seconds(3);
  spec_.fake_nodes = 1;
  make({model::kFakeNode});
  start();
  at(23'999, HeadTick{});
  EXPECT_EQ(cause(), "completed");
  at(24'000, HeadTick{});
  EXPECT_EQ(cause(), "a: no answer within 24 s") << "it is told what it waited for";
}

TEST_F(HeadFixture, ProgressNamesTheHostsThatAreMissing) {
  make({model::kOpened, model::kOpened});
  start();
  at(10, LinkUp{kA});
  hear(kA, wire::Welcome{});
  const Words said = at(3000, HeadTick{});
  EXPECT_NE(std::ranges::find(said,
                              "say waiting for 1 of 2 hosts to connect: b (3 s so far, at "
                              "most 15 s for one attempt)"),
            said.end());
  const Words later = at(13'000, HeadTick{});
  EXPECT_TRUE(std::ranges::none_of(later, [](const std::string& one) {
    return one.starts_with("say waiting");
  })) << "it has been told";
}

TEST_F(HeadFixture, AnotherProtocolIsRefused) {
  make({model::kOpened});
  start();
  now(LinkUp{kA});
  EXPECT_EQ(hear(kA, wire::Welcome{wire::kProtocol + 1, "9", {}}), Words{"a Bye"});
  EXPECT_EQ(exit_code(), 243);
}

TEST_F(HeadFixture, ALinkThatIsLostBeforeTheStartIsAFault) {
  make({model::kOpened, model::kLocal});
  start();
  now(LinkUp{kA});
  now(LinkUp{kB});
  hear(kA, wire::Welcome{});
  EXPECT_EQ(now(LinkLost{kA, lost("a: reset")}), (Words{"b Bye", "finish"}));
  EXPECT_EQ(cause(), "a: reset");
}

TEST_F(HeadFixture, InterruptedBeforeTheStartNobodyIsToldToStop) {
  make({model::kOpened, model::kOpened});
  start();
  now(LinkUp{kA});
  EXPECT_EQ(now(UserSignal{2}), (Words{"close b", "a Bye"}));
  EXPECT_EQ(now(LinkUp{kB}), Words{}) << "too late";
  EXPECT_EQ(now(LinkLost{kA, lost("ended")}), Words{"finish"});
  EXPECT_EQ(exit_code(), 130);
}

}  // namespace
}  // namespace muster::machine
