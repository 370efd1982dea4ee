// A launcher inside a rank: its head asks the one above it for hosts, and speaks to them through
// it.
#include "machine/relay.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "machine/head_machine.hpp"
#include "model/carriers.hpp"

namespace muster::machine::relay_test {
namespace {

using base::NodeIndex;
using base::Rank;
using base::RunIndex;
using std::chrono::seconds;

constexpr base::Instant kStart{seconds(100)};
constexpr NodeIndex kA{0}, kB{1}, kC{2};
constexpr RunIndex kRelay{2};
constexpr std::uint32_t kConnection = 4;

RunInput job(const std::vector<std::pair<const char*, model::Carrier>>& hosts) {
  RunInput input;
  input.job = "outer";
  input.spec.apps.front().command = {"program"};
  input.spec.wireup = model::Wireup::none;
  input.kept = {{{}}, {{}}};
  for (const auto& [name, carrier] : hosts) {
    model::PlannedNode node;
    node.host.name = name;
    node.host.carrier = carrier;
    node.ranks.emplace_back(input.plan.ranks.size());
    input.plan.ranks.push_back({NodeIndex(input.plan.nodes.size()), 0});
    input.plan.nodes.push_back(std::move(node));
  }
  return input;
}

RunInput with_reserve(RunInput input) {
  model::Host host;
  host.name = "c";
  host.port = 2222;
  host.carrier = model::kOpened;
  input.plan.spare = {host};
  input.spec.hostfile = "a slots=1\nlisted slots=4\n";
  return input;
}

// What a launcher's head sends: to its own number of a host.
std::string said(std::uint32_t number, const wire::ToAgent& message, RunIndex run = kFirstRun) {
  std::string bytes;
  wire::append(bytes, message, {run, wire::HostSet(NodeIndex(number))});
  return bytes;
}

wire::Reach reach(const char* name) { return {name, {}, 0}; }

class RelayTest : public testing::Test {
 protected:
  // Ranks run on a and b; the launcher is called on a.
  // c, in reserve, and listed, which the command of the job would start, are hosts of the job, too.
  RelayTest() : head_(with_reserve(job({{"a", model::kOpened}, {"b", model::kOpened}}))) {
    begin();
  }

  void begin() {
    head_.start(kStart, out_);
    for (const NodeIndex host : {kA, kB}) {
      feed(LinkUp{host});
      welcome(host, kFirstRun);
    }
    for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Prepared{}});
    for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Started{Rank(host.value), 10}});
    out_.clear();
  }
  void feed(HeadEvent event) {
    head_.step(kStart, std::move(event), out_);
    head_.check();
  }
  void welcome(NodeIndex host, RunIndex run) {
    wire::Welcome message;
    message.facts.hostname = fmt::format("{}.cluster", "abcd"[host.value]);
    message.facts.reached_at = fmt::format("10.0.0.{}", host.value);
    message.facts.head_address = "10.0.0.99";
    feed(Heard{host, message, run});
  }
  void launcher_says(const std::string& bytes, std::uint32_t connection = kConnection) {
    out_.clear();
    feed(Heard{kA, wire::FromLauncher{connection, bytes}});
  }
  void hears(NodeIndex host, wire::ToHead message) {
    out_.clear();
    feed(Heard{host, std::move(message), kRelay});
  }
  // b is the launcher's host 7.
  void reach_and_greet_b() {
    launcher_says(said(7, reach("b")));
    EXPECT_EQ(told(), (Told{"7: Reached"}));
    launcher_says(said(7, wire::Hello{}));
  }
  void greet_b() {
    reach_and_greet_b();
    welcome(kB, kRelay);
    (void)told();
  }

  // What the launcher is told: "7: Reached", and so on.
  [[nodiscard]] std::vector<std::string> told() {
    for (const HeadEffect& one : out_) {
      const auto* to = std::get_if<ToNode>(&one);
      const auto* part = to != nullptr ? std::get_if<wire::ToLauncher>(&to->message) : nullptr;
      if (part == nullptr) continue;
      EXPECT_EQ(to->node, kA);
      EXPECT_EQ(part->connection, kConnection);
      if (part->bytes.empty()) heard_.push_back("closed");
      read(part->bytes);
    }
    out_.clear();
    return std::exchange(heard_, {});
  }
  void read(std::string_view bytes) {
    std::string rest;
    if (greeted_) {
      rest = bytes;
    } else {
      wire::NoiseFilter filter;
      ASSERT_EQ(filter.feed(bytes, rest), wire::NoiseFilter::State::found);
      greeted_ = true;
    }
    reader_.feed(rest);
    while (true) {
      auto item = reader_.next();
      ASSERT_TRUE(item);
      if (!*item) return;
      message_ = std::get<wire::ToHead>(**item);
      const auto number = reader_.address().hosts.ranges().front().first;
      heard_.push_back(fmt::format("{}: {}", number, word(message_)));
    }
  }
  static std::string word(const wire::ToHead& message) {
    if (std::holds_alternative<wire::Reached>(message)) return "Reached";
    if (const auto* one = std::get_if<wire::Unreached>(&message)) return one->error.what;
    if (std::holds_alternative<wire::Welcome>(message)) return "Welcome";
    return std::holds_alternative<wire::Pong>(message) ? "Pong" : "other";
  }

  template <class Message>
  [[nodiscard]] std::vector<NodeIndex> sent() const {
    std::vector<NodeIndex> found;
    for (const HeadEffect& one : out_) {
      const auto* many = std::get_if<ToNodes>(&one);
      const bool matches = many != nullptr && std::holds_alternative<Message>(many->message);
      if (matches && many->run == kRelay) {
        found.insert(found.end(), many->nodes.begin(), many->nodes.end());
      }
      const auto* to = std::get_if<ToNode>(&one);
      const bool is_one = to != nullptr && std::holds_alternative<Message>(to->message);
      if (is_one && to->run == kRelay) found.push_back(to->node);
    }
    return found;
  }
  // 0: there is none to this host.
  [[nodiscard]] RunIndex run_of_hello(NodeIndex host) const {
    for (const ToNode& one : effects<ToNode>()) {
      if (one.node == host && std::holds_alternative<wire::Hello>(one.message)) return one.run;
    }
    return {};
  }
  template <class Effect>
  [[nodiscard]] std::vector<Effect> effects() const {
    std::vector<Effect> found;
    for (const HeadEffect& one : out_) {
      if (const auto* effect = std::get_if<Effect>(&one)) found.push_back(*effect);
    }
    return found;
  }

  using Told = std::vector<std::string>;
  using Nodes = std::vector<NodeIndex>;
  HeadMachine head_;
  HeadEffects out_;
  bool greeted_ = false;
  wire::HeadReader reader_;
  std::vector<std::string> heard_;
  wire::ToHead message_;
};

TEST_F(RelayTest, AHostInUseIsReachedAtOnce) {
  launcher_says(said(7, reach("b")));
  EXPECT_TRUE(effects<OpenLink>().empty());
  EXPECT_EQ(told(), (Told{"7: Reached"}));
}

TEST_F(RelayTest, AHostOfTheJobIsOpenedForIt) {
  launcher_says(said(0, reach("c")));
  ASSERT_EQ(effects<AddHost>().size(), 1U);
  EXPECT_EQ(effects<AddHost>().front().host.carrier, model::kOpened);
  EXPECT_EQ(effects<AddHost>().front().host.port, 2222U) << "as the job knows it";
  EXPECT_EQ(effects<OpenLink>(), (std::vector{OpenLink{kC}}));
  EXPECT_EQ(told(), Told{});
  feed(LinkUp{kC});
  EXPECT_EQ(told(), (Told{"0: Reached"}));
}

TEST_F(RelayTest, AHostInTheHostfileIsOneOfTheJob) {
  launcher_says(said(0, reach("listed")));
  EXPECT_EQ(effects<OpenLink>().size(), 1U);
}

TEST_F(RelayTest, RanksReachNoFurtherThanTheirJob) {
  launcher_says(said(0, reach("elsewhere")));
  EXPECT_TRUE(effects<AddHost>().empty());
  EXPECT_TRUE(effects<OpenLink>().empty());
  EXPECT_EQ(told(), (Told{"0: it is not a host of the job"}));
  EXPECT_EQ(std::get<wire::Unreached>(message_).error.fault, base::Fault::usage);
  launcher_says(said(0, reach("b")));
  EXPECT_EQ(told(), (Told{"0: Reached"}));
}

TEST_F(RelayTest, BesideTheHeadAnyHostMayBeNamed) {
  HeadMachine head(job({{"here", model::kLocal}, {"a", model::kOpened}}));
  HeadEffects out;
  head.start(kStart, out);
  head.step(kStart, Heard{NodeIndex(0), wire::FromLauncher{1, said(0, reach("elsewhere"))}}, out);
  EXPECT_NE(std::ranges::find(out, HeadEffect(OpenLink{NodeIndex(2)})), out.end());
}

TEST_F(RelayTest, AHostThatCannotBeReachedIsTold) {
  launcher_says(said(0, reach("c")));
  (void)told();
  feed(LinkFailed{kC, {base::Fault::unreachable, "c: no route", {}, {}}, Retry::no});
  EXPECT_EQ(told(), (Told{"0: c: no route"}));
  launcher_says(said(0, reach("c")));
  EXPECT_EQ(effects<OpenLink>(), (std::vector{OpenLink{kC}})) << "it may ask again";
}

TEST_F(RelayTest, AHostMayBeCalledByItsOwnName) {
  launcher_says(said(0, reach("b.cluster")));
  EXPECT_EQ(told(), (Told{"0: Reached"}));
}

TEST_F(RelayTest, FramesGoBothWaysUnderAnotherRun) {
  reach_and_greet_b();
  EXPECT_EQ(sent<wire::Hello>(), Nodes{kB});
  (void)told();
  welcome(kB, kRelay);
  EXPECT_EQ(told(), (Told{"7: Welcome"}));
  launcher_says(said(7, wire::Ping{}));
  EXPECT_EQ(sent<wire::Ping>(), Nodes{kB});
  hears(kB, wire::Pong{});
  EXPECT_EQ(told(), (Told{"7: Pong"}));
}

TEST_F(RelayTest, AddressesAreThoseThatTheLaunchersHostSees) {
  reach_and_greet_b();
  welcome(kB, kRelay);
  (void)told();
  const auto& facts = std::get<wire::Welcome>(message_).facts;
  EXPECT_EQ(facts.reached_at, "10.0.0.1");
  EXPECT_EQ(facts.head_address, "10.0.0.0") << "where a was reached, not where we are";
}

TEST_F(RelayTest, AFrameInPiecesIsOneFrame) {
  const std::string bytes = said(7, reach("b"));
  for (const char byte : bytes.substr(0, bytes.size() - 1)) {
    launcher_says(std::string(1, byte));
    EXPECT_TRUE(effects<AddHost>().empty());
  }
  (void)told();
  greeted_ = true;
  launcher_says(bytes.substr(bytes.size() - 1));
  EXPECT_EQ(told(), (Told{"7: Reached"}));
}

TEST_F(RelayTest, OneFrameForSeveralHosts) {
  for (const auto& [number, name] : {std::pair(3U, "a"), std::pair(4U, "b")}) {
    launcher_says(said(number, reach(name)) + said(number, wire::Hello{}));
    (void)told();
  }
  wire::HostSet both(NodeIndex(3));
  both.add(NodeIndex(4));
  std::string bytes;
  wire::append(bytes, wire::ToAgent(wire::Trace{}), {kFirstRun, both});
  launcher_says(bytes);
  EXPECT_EQ(sent<wire::Trace>(), (Nodes{kA, kB}));
}

TEST_F(RelayTest, ByeLeavesTheHostToTheOthers) {
  greet_b();
  launcher_says(said(7, wire::Bye{}));
  EXPECT_EQ(sent<wire::Bye>(), Nodes{kB});
  EXPECT_TRUE(effects<CloseLink>().empty());
  EXPECT_EQ(told(), (Told{"7: the launcher has left it"}));
  hears(kB, wire::Pong{});
  EXPECT_EQ(told(), Told{}) << "it is not the launcher's any more";
}

TEST_F(RelayTest, AnAgentThatNobodyGreetedIsClosed) {
  launcher_says(said(0, reach("c")));
  feed(LinkUp{kC});
  launcher_says(said(0, wire::Release{}));
  EXPECT_EQ(effects<CloseLink>(), (std::vector{CloseLink{kC}}));
}

TEST_F(RelayTest, AnOrderToARefusedHostConcernsNoOther) {
  greet_b();
  launcher_says(said(5, reach("elsewhere")) + said(5, wire::Release{}) + said(5, reach("c")));
  EXPECT_EQ(told(), (Told{"5: it is not a host of the job"}));
  feed(LinkUp{kC});
  EXPECT_EQ(told(), (Told{"5: Reached"})) << "the number is free for another";
  hears(kB, wire::Pong{});
  EXPECT_EQ(told(), (Told{"7: Pong"})) << "b is still the launcher's";
}

TEST_F(RelayTest, ReachAndHelloMayComeTogether) {
  launcher_says(said(7, reach("b")) + said(7, wire::Hello{}));
  EXPECT_EQ(sent<wire::Hello>(), Nodes{kB});
}

// The agent ended with the last run that it knew.
TEST_F(RelayTest, AHostThatGoesBeforeItsGreetingIsReachedAgain) {
  launcher_says(said(0, reach("c")));
  feed(LinkUp{kC});
  EXPECT_EQ(told(), (Told{"0: Reached"}));
  feed(LinkLost{kC, {}});
  EXPECT_EQ(effects<OpenLink>(), (std::vector{OpenLink{kC}}));
  launcher_says(said(0, wire::Hello{}));
  EXPECT_TRUE(sent<wire::Hello>().empty());
  out_.clear();
  feed(LinkUp{kC});
  EXPECT_EQ(sent<wire::Hello>(), Nodes{kC});
  EXPECT_EQ(told(), Told{}) << "it knew that already";
}

TEST_F(RelayTest, OneThatGoesTwiceIsLost) {
  launcher_says(said(0, reach("c")));
  for (int i = 0; i < 2; ++i) {
    feed(LinkUp{kC});
    (void)told();
    feed(LinkLost{kC, {base::Fault::lost, "c: gone", {}, {}}});
  }
  EXPECT_EQ(told(), (Told{"0: c: gone"}));
}

TEST_F(RelayTest, OfAListedHostOnlyTheNameCanBeSaid) {
  launcher_says(said(0, wire::Reach{"listed", "root", 0}) +
                said(1, wire::Reach{"listed", {}, 2222}));
  EXPECT_TRUE(effects<OpenLink>().empty());
  EXPECT_EQ(told(), (Told{"0: it is not a host of the job", "1: it is not a host of the job"}));
}

TEST_F(RelayTest, WhatOneBesideTheHeadMayNameOthersMayNot) {
  HeadMachine head(job({{"here", model::kLocal}, {"a", model::kOpened}}));
  HeadEffects out;
  head.start(kStart, out);
  head.step(kStart, LinkUp{NodeIndex(1)}, out);
  head.step(kStart, Heard{NodeIndex(0), wire::FromLauncher{1, said(0, reach("storage"))}}, out);
  ASSERT_NE(std::ranges::find(out, HeadEffect(OpenLink{NodeIndex(2)})), out.end());
  head.step(kStart, Heard{NodeIndex(0), wire::FromLauncher{1, {}}}, out);
  out.clear();
  head.step(kStart, Heard{NodeIndex(1), wire::FromLauncher{1, said(0, reach("storage"))}}, out);
  EXPECT_EQ(std::ranges::find(out, HeadEffect(OpenLink{NodeIndex(2)})), out.end());
}

TEST_F(RelayTest, ALauncherGoesWithItsHost) {
  greet_b();
  feed(LinkLost{kA, {}});
  EXPECT_EQ(sent<wire::Bye>(), Nodes{kB});
}

TEST_F(RelayTest, WhatALauncherLeavesBehindEnds) {
  greet_b();
  launcher_says({});
  EXPECT_EQ(sent<wire::Bye>(), Nodes{kB});
  EXPECT_EQ(effects<RunOver>(), (std::vector{RunOver{kRelay}}));
  EXPECT_TRUE(effects<Finish>().empty());
}

TEST_F(RelayTest, ItEndsWithTheRunOfItsRank) {
  greet_b();
  for (const NodeIndex host : {kA, kB}) {
    wire::Exited exited;
    exited.exit.rank = Rank(host.value);
    feed(Heard{host, exited});
    for (const auto stream : {wire::Stream::out, wire::Stream::err}) {
      feed(Heard{host, wire::OutputEnd{Rank(host.value), stream}});
    }
  }
  out_.clear();
  for (const NodeIndex host : {kA, kB}) feed(Heard{host, wire::Stopped{}});
  EXPECT_EQ(sent<wire::Bye>(), Nodes{kB});
  EXPECT_EQ(effects<RunOver>(), (std::vector{RunOver{kFirstRun}, RunOver{kRelay}}));
  for (const NodeIndex host : {kA, kB}) feed(LinkLost{host, {}});
  EXPECT_EQ(effects<Finish>().size(), 1U);
}

TEST_F(RelayTest, ALostHostIsLostToTheLauncher) {
  greet_b();
  feed(LinkLost{kB, {base::Fault::lost, "b: gone", {}, {}}});
  EXPECT_EQ(told(), (Told{"7: b: gone"}));
}

TEST_F(RelayTest, SignalsOfAPersonAreForTheLauncherItself) {
  greet_b();
  feed(UserSignal{2});
  EXPECT_TRUE(sent<wire::Stop>().empty());
  EXPECT_TRUE(sent<wire::Bye>().empty());
}

TEST_F(RelayTest, SleepsWithUs) {
  greet_b();
  feed(UserSignal{20});
  EXPECT_EQ(sent<wire::Suspend>(), Nodes{kB});
  EXPECT_EQ(sent<wire::Signal>(), Nodes{kB});
}

std::string to_nobody() {
  std::string bytes;
  wire::append(bytes, wire::ToAgent(wire::Ping{}), {kFirstRun, {}});
  return bytes;
}

class Nonsense : public RelayTest, public testing::WithParamInterface<std::string> {};

TEST_P(Nonsense, EndsTheConnectionAndNothingElse) {
  greet_b();
  launcher_says(GetParam());
  EXPECT_EQ(sent<wire::Bye>(), Nodes{kB});
  EXPECT_EQ(effects<RunOver>(), (std::vector{RunOver{kRelay}}));
  EXPECT_EQ(told(), Told{"closed"});
}

INSTANTIATE_TEST_SUITE_P(From, Nonsense,
                         testing::Values(std::string("\xff\xff\xff\xff\1\1\0\0\0\0\0", 11),
                                         said(7, wire::Ping{}, RunIndex(2)), to_nobody()));

TEST_F(RelayTest, ARankSpeaksForNoOtherRun) {
  out_.clear();
  feed(Heard{kA, wire::FromLauncher{1, said(0, reach("c"))}, RunIndex(9)});
  EXPECT_TRUE(out_.empty());
}

TEST_F(RelayTest, NothingIsKeptOfOneThatIsOver) {
  launcher_says(said(7, reach("c")));
  launcher_says({});
  for (std::uint32_t connection = 10; connection < 13; ++connection) {
    launcher_says(said(7, reach("b")), connection);
    launcher_says({}, connection);
  }
  EXPECT_FALSE(head_.relayed(kRelay, kB));
  launcher_says(said(7, reach("b")), 13);
  launcher_says(said(7, wire::Hello{}), 13);
  EXPECT_EQ(run_of_hello(kB), RunIndex(6)) << "no number is given twice";
}

TEST_F(RelayTest, TwoLaunchersHaveARunEach) {
  greet_b();
  out_.clear();
  feed(Heard{kB, wire::FromLauncher{kConnection, said(0, reach("a"))}});
  out_.clear();
  feed(Heard{kB, wire::FromLauncher{kConnection, said(0, wire::Hello{})}});
  EXPECT_EQ(run_of_hello(kA), RunIndex(3));
}

TEST_F(RelayTest, RanksBesideTheHeadAreNotInTheWay) {
  HeadMachine head(job({{"here", model::kLocal}, {"a", model::kOpened}}));
  HeadEffects out;
  head.start(kStart, out);
  head.step(kStart, LinkUp{NodeIndex(1)}, out);
  out.clear();
  head.step(kStart, Heard{NodeIndex(1), wire::FromLauncher{1, said(0, reach("here"))}}, out);
  const auto added = std::ranges::find_if(
      out, [](const HeadEffect& one) { return std::holds_alternative<AddHost>(one); });
  ASSERT_NE(added, out.end());
  EXPECT_EQ(std::get<AddHost>(*added).host.carrier, model::kFakeNode) << "an agent on this machine";
}

TEST_F(RelayTest, WhereOutputGoes) {
  greet_b();
  const auto relayed = head_.relayed(kRelay, kB);
  ASSERT_TRUE(relayed);
  EXPECT_EQ(relayed->launcher, (LauncherId{kA, kFirstRun, kConnection}));
  EXPECT_EQ(relayed->from, (wire::Address{kFirstRun, wire::HostSet(NodeIndex(7))}));
  EXPECT_FALSE(head_.relayed(kRelay, kA));
  EXPECT_FALSE(head_.relayed(kFirstRun, kB));
  EXPECT_FALSE(head_.relayed(RunIndex(0), kB));
}

}  // namespace
}  // namespace muster::machine::relay_test
