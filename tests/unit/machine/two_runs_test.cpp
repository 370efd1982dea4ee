// Two runs of one head: they share hosts, and each ends for itself.
#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>

#include "machine/head_machine.hpp"
#include "model/carriers.hpp"

namespace muster::machine::two_runs_test {
namespace {

using base::NodeIndex;
using base::Rank;
using base::RunIndex;
using std::chrono::seconds;

constexpr base::Instant kStart{seconds(100)};
constexpr NodeIndex kA{0}, kB{1}, kC{2};
constexpr RunIndex kSecond{2};

RunInput job(const std::vector<const char*>& hosts) {
  RunInput input;
  input.job = fmt::format("job on {}", fmt::join(hosts, " "));
  input.spec.apps.front().command = {"program"};
  input.spec.wireup = model::Wireup::none;
  input.kept = {{{}}, {{}}};
  for (const char* name : hosts) {
    model::PlannedNode node;
    node.host.name = name;
    node.host.carrier = model::kOpened;
    node.ranks.emplace_back(input.plan.ranks.size());
    input.plan.ranks.push_back({NodeIndex(input.plan.nodes.size()), 0});
    input.plan.nodes.push_back(std::move(node));
  }
  return input;
}

class TwoRuns : public testing::Test {
 protected:
  // The first on a and b, the second on b and c: it counts b as its node 0.
  TwoRuns() : head_(job({"a", "b"})) {
    head_.start(kStart, out_);
    for (const NodeIndex host : {kA, kB}) bring_up(host);
  }

  RunIndex begin_second(std::optional<RunIndex> within = {}) {
    out_.clear();
    return head_.add(job({"b", "c"}), within, kStart, out_);
  }
  void feed(HeadEvent event, base::Instant now = kStart) {
    head_.step(now, std::move(event), out_);
    head_.check();
  }
  void bring_up(NodeIndex host) {
    feed(LinkUp{host});
    welcome(host, kFirstRun);
  }
  void welcome(NodeIndex host, RunIndex run) {
    wire::Welcome message;
    message.protocol = wire::kProtocol;
    feed(Heard{host, message, run});
  }
  void prepare(NodeIndex host, RunIndex run) { feed(Heard{host, wire::Prepared{}, run}); }
  void start(NodeIndex host, RunIndex run, std::uint32_t rank) {
    feed(Heard{host, wire::Started{Rank(rank), 10}, run});
  }
  void end(NodeIndex host, RunIndex run, std::uint32_t rank, std::int32_t code) {
    wire::Exited exited;
    exited.exit.rank = Rank(rank);
    exited.exit.code = code;
    feed(Heard{host, exited, run});
  }
  void run_both() {
    begin_second();
    feed(LinkUp{kC});
    for (const NodeIndex host : {kB, kC}) welcome(host, kSecond);
    for (const NodeIndex host : {kA, kB}) prepare(host, kFirstRun);
    for (const NodeIndex host : {kB, kC}) prepare(host, kSecond);
    start(kA, kFirstRun, 0), start(kB, kFirstRun, 1);
    start(kB, kSecond, 0), start(kC, kSecond, 1);
    out_.clear();
  }

  template <class Message>
  [[nodiscard]] std::vector<std::pair<NodeIndex, RunIndex>> sent() const {
    std::vector<std::pair<NodeIndex, RunIndex>> found;
    for (const HeadEffect& one : out_) {
      const auto* to = std::get_if<ToNode>(&one);
      if (to != nullptr && std::holds_alternative<Message>(to->message)) {
        found.emplace_back(to->node, to->run);
      }
    }
    return found;
  }
  template <class Effect>
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        out_, [](const HeadEffect& one) { return std::holds_alternative<Effect>(one); }));
  }

  using Sent = std::vector<std::pair<NodeIndex, RunIndex>>;
  HeadMachine head_;
  HeadEffects out_;
};

TEST_F(TwoRuns, ShareTheLinkOfAHost) {
  EXPECT_EQ(begin_second(), kSecond);
  EXPECT_EQ(count<AddHost>(), 1U) << "c; b is there";
  EXPECT_EQ(count<OpenLink>(), 1U);
  EXPECT_EQ(sent<wire::Hello>(), (Sent{{kB, kSecond}})) << "over the link of the first";
}

TEST_F(TwoRuns, HostsOfOnePlanAreTwoEvenWithOneName) {
  HeadMachine head(job({"same", "same"}));
  HeadEffects out;
  head.start(kStart, out);
  for (const NodeIndex host : {kA, kB}) head.step(kStart, LinkUp{host}, out);
  std::vector<std::uint32_t> greeted;
  for (const HeadEffect& one : out) {
    const auto* to = std::get_if<ToNode>(&one);
    const auto* hello = to != nullptr ? std::get_if<wire::Hello>(&to->message) : nullptr;
    if (hello != nullptr) greeted.push_back(hello->node.value);
  }
  EXPECT_EQ(greeted, (std::vector<std::uint32_t>{0, 1}));
}

TEST_F(TwoRuns, EachStartWhenTheirOwnHostsArePrepared) {
  begin_second();
  feed(LinkUp{kC});
  for (const NodeIndex host : {kB, kC}) welcome(host, kSecond);
  EXPECT_EQ(sent<wire::Prepare>(), (Sent{{kB, kSecond}, {kC, kSecond}}));
  EXPECT_EQ(count<ToNodes>(), 1U);
  for (const HeadEffect& effect : out_) {
    const auto* world = std::get_if<ToNodes>(&effect);
    if (world == nullptr) continue;
    EXPECT_EQ(world->nodes, (std::vector<NodeIndex>{kB, kC})) << "under the numbers of hosts";
    EXPECT_EQ(world->run, kSecond);
  }
  out_.clear();
  prepare(kB, kSecond), prepare(kC, kSecond);
  EXPECT_EQ(sent<wire::Start>(), (Sent{{kB, kSecond}, {kC, kSecond}}));
}

TEST_F(TwoRuns, EndEachForItselfAndAHostLeavesWithItsLast) {
  run_both();
  end(kA, kFirstRun, 0, 3);
  EXPECT_EQ(sent<wire::Stop>(), (Sent{{kA, kFirstRun}, {kB, kFirstRun}}));
  end(kB, kFirstRun, 1, 0);
  out_.clear();
  for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Stopped{}, kFirstRun});
  EXPECT_TRUE(head_.run(kFirstRun).over());
  EXPECT_EQ(head_.run(kFirstRun).status().ended, 2U);
  EXPECT_EQ(head_.run(kSecond).status().state, Run::State::running);
  EXPECT_EQ(head_.report().exit_code(), 3);
  EXPECT_EQ(sent<wire::Bye>(), (Sent{{kA, kFirstRun}, {kB, kFirstRun}}));
  EXPECT_EQ(count<RunOver>(), 1U);
  EXPECT_FALSE(head_.run(kSecond).over());

  out_.clear();
  end(kB, kSecond, 0, 0), end(kC, kSecond, 1, 0);
  for (const NodeIndex host : {kB, kC}) feed(Heard{host, wire::Stopped{}, kSecond});
  EXPECT_EQ(sent<wire::Bye>(), (Sent{{kB, kSecond}, {kC, kSecond}}));
  EXPECT_EQ(head_.run(kSecond).report().exit_code(), 0);
  EXPECT_FALSE(head_.finished());
  for (const NodeIndex host : {kA, kB, kC}) feed(LinkLost{host, {}});
  EXPECT_TRUE(head_.finished());
}

TEST_F(TwoRuns, BothLoseAHostThatIsLost) {
  run_both();
  feed(LinkLost{kB, {base::Fault::lost, "b: gone", {}, {}}});
  EXPECT_EQ(sent<wire::Stop>(), (Sent{{kA, kFirstRun}, {kC, kSecond}}));
}

TEST_F(TwoRuns, AnAgentThatSpeaksOfForeignRanksLosesAllItsRuns) {
  run_both();
  end(kB, kSecond, 1, 0);
  EXPECT_EQ(count<CloseLink>(), 1U);
  EXPECT_EQ(sent<wire::Stop>(), (Sent{{kA, kFirstRun}, {kC, kSecond}}));
}

TEST_F(TwoRuns, WhatIsSaidOfARunThatAHostIsNotInIsIgnored) {
  run_both();
  end(kA, kSecond, 0, 1);
  end(kA, RunIndex(77), 0, 1);
  end(kA, RunIndex(0), 0, 1);
  EXPECT_TRUE(out_.empty());
}

TEST_F(TwoRuns, OneThatWasBegunWithinTheOtherEndsWithIt) {
  begin_second(kFirstRun);
  feed(LinkUp{kC});
  for (const NodeIndex host : {kB, kC}) welcome(host, kSecond);
  for (const NodeIndex host : {kB, kC}) prepare(host, kSecond);
  for (const NodeIndex host : {kA, kB}) prepare(host, kFirstRun);
  end(kA, kFirstRun, 0, 0), end(kB, kFirstRun, 1, 0);
  out_.clear();
  for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Stopped{}, kFirstRun});
  EXPECT_EQ(sent<wire::Stop>(), (Sent{{kB, kSecond}, {kC, kSecond}}));
}

// What ends the outer run ends this one by itself, and it is told only once to end.
TEST_F(TwoRuns, OneWithinTheOtherKeepsItsGraceWhenBothAreInterrupted) {
  begin_second(kFirstRun);
  feed(LinkUp{kC});
  for (const NodeIndex host : {kB, kC}) welcome(host, kSecond);
  for (const NodeIndex host : {kB, kC}) prepare(host, kSecond);
  out_.clear();
  feed(UserSignal{SIGINT});
  EXPECT_TRUE(head_.run(kFirstRun).over()) << "none of its ranks had started";
  EXPECT_EQ(sent<wire::Stop>(), (Sent{{kB, kSecond}, {kC, kSecond}})) << "once";
  EXPECT_EQ(head_.run(kSecond).report().signal, SIGINT);
}

TEST_F(TwoRuns, OneThatIsEndingWhenTheOuterEndsKeepsItsGrace) {
  begin_second(kFirstRun);
  feed(LinkUp{kC});
  for (const NodeIndex host : {kB, kC}) welcome(host, kSecond);
  for (const NodeIndex host : {kB, kC}) prepare(host, kSecond);
  for (const NodeIndex host : {kA, kB}) prepare(host, kFirstRun);
  feed(UserSignal{SIGINT});
  end(kA, kFirstRun, 0, 0), end(kB, kFirstRun, 1, 0);
  out_.clear();
  for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Stopped{}, kFirstRun});
  EXPECT_TRUE(head_.run(kFirstRun).over());
  EXPECT_TRUE(sent<wire::Stop>().empty());
}

TEST_F(TwoRuns, OneThatHasLostAHostDoesNotHoldItForAnother) {
  feed(LinkLost{kB, {base::Fault::lost, "b: gone", {}, {}}});
  EXPECT_TRUE(head_.run(kFirstRun).over());
  begin_second();
  out_.clear();
  feed(UserSignal{SIGINT});
  EXPECT_TRUE(head_.run(kSecond).over());
  EXPECT_EQ(count<CloseLink>(), 2U) << "b and c, whose links were being opened";
}

TEST_F(TwoRuns, OneMayEndWhileItWaitsForAHostToLeave) {
  for (const NodeIndex host : {kA, kB}) prepare(host, kFirstRun);
  end(kA, kFirstRun, 0, 0), end(kB, kFirstRun, 1, 0);
  for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Stopped{}, kFirstRun});
  begin_second();
  feed(UserSignal{SIGINT});
  EXPECT_TRUE(head_.run(kSecond).over());
  out_.clear();
  for (const NodeIndex host : {kA, kB}) feed(LinkLost{host, {}});
  EXPECT_EQ(count<OpenLink>(), 0U);
  EXPECT_TRUE(head_.finished());
}

TEST_F(TwoRuns, AHostThatDoesNotLeaveIsClosedAndOpenedAnew) {
  for (const NodeIndex host : {kA, kB}) prepare(host, kFirstRun);
  end(kA, kFirstRun, 0, 0), end(kB, kFirstRun, 1, 0);
  for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Stopped{}, kFirstRun});
  begin_second();
  EXPECT_EQ(head_.deadline(), kStart + kLeaveTime);
  out_.clear();
  feed(HeadTick{}, kStart + kLeaveTime);
  EXPECT_EQ(count<CloseLink>(), 2U) << "a and b";
  EXPECT_EQ(count<OpenLink>(), 1U) << "b";
}

// The first hears of it first, and lets it go.
TEST_F(TwoRuns, EachIsToldWhyAHostIsLostThatIsIdleInTheFirst) {
  RunInput input = job({"a"});
  input.plan.spare.push_back(job({"b"}).plan.nodes.front().host);
  head_ = HeadMachine(std::move(input));
  head_.start(kStart, out_);
  bring_up(kA);
  prepare(kA, kFirstRun);
  head_.add(job({"b"}), std::nullopt, kStart, out_);
  feed(LinkUp{kB});
  welcome(kB, kSecond);
  out_.clear();
  const wire::SpawnApp child{{"child"}, {}, 1, {{"host", "b"}}};
  feed(Heard{kA, wire::Spawn{1, Rank(0), false, {child}, {}}});
  EXPECT_EQ(sent<wire::Hello>(), (Sent{{kB, kFirstRun}})) << "idle there";
  feed(LinkLost{kB, {base::Fault::lost, "b: gone", {}, {}}});
  EXPECT_EQ(head_.run(kSecond).report().error.what, "b: gone");
}

TEST_F(TwoRuns, AnotherRunMayBeginOnAHostThatIsJustLeaving) {
  for (const NodeIndex host : {kA, kB}) prepare(host, kFirstRun);
  end(kA, kFirstRun, 0, 0), end(kB, kFirstRun, 1, 0);
  for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Stopped{}, kFirstRun});
  begin_second();
  EXPECT_TRUE(sent<wire::Hello>().empty());
  EXPECT_EQ(count<OpenLink>(), 1U) << "c";
  feed(LinkLost{kB, {}});
  EXPECT_EQ(count<OpenLink>(), 2U) << "b, again";
  feed(LinkLost{kA, {}});
  EXPECT_FALSE(head_.finished());
}

}  // namespace
}  // namespace muster::machine::two_runs_test
