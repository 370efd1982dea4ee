// Hosts: opened, greeted, kept alive; ranks are none of its business.
#include "machine/hosts.hpp"

#include <concepts>
#include <gtest/gtest.h>

#include "model/carriers.hpp"

namespace muster::machine::hosts_test {
namespace {

using base::Instant;
using base::NodeIndex;
using std::chrono::seconds;

static_assert(std::equality_comparable<Hosts> && std::copyable<Hosts>);

constexpr Instant kStart{seconds(100)};
constexpr NodeIndex kHere{0}, kThere{1};

model::Host host(const char* name, const model::Carrier& carrier) {
  model::Host made;
  made.name = name;
  made.carrier = carrier;
  return made;
}

template <class Effect>
std::size_t count(const HeadEffects& effects) {
  std::size_t found = 0;
  for (const HeadEffect& one : effects) found += std::holds_alternative<Effect>(one);
  return found;
}

class TwoHosts : public testing::Test {
 protected:
  TwoHosts() : hosts_(options()) {
    hosts_.add(host("here", model::kLocal));
    hosts_.add(host("there", model::kOpened));
  }
  static Hosts::Options options() {
    Hosts::Options made;
    made.lease = seconds(8);
    made.carrier.command = {"ssh"};
    return made;
  }
  void open_both() {
    for (const NodeIndex node : {kHere, kThere}) hosts_.open(node, kStart, out_);
    hosts_.go_on(kStart, out_);
  }
  void greet(NodeIndex node) {
    hosts_.up(node, kStart);
    hosts_.greet({node, "job", 3}, node, kFirstRun, kStart, out_);
  }
  void greet_both() {
    open_both();
    for (const NodeIndex node : {kHere, kThere}) {
      greet(node);
      wire::Welcome welcome;
      welcome.protocol = wire::kProtocol;
      welcome.facts.hostname = "told";
      EXPECT_TRUE(hosts_.welcome(node, kFirstRun, welcome, kStart, out_));
    }
    out_.clear();
  }
  Hosts hosts_;
  HeadEffects out_;
};

TEST_F(TwoHosts, AreOpenedAndGreeted) {
  open_both();
  EXPECT_EQ(count<OpenLink>(out_), 2U);
  greet(kThere);
  const auto& hello = std::get<wire::Hello>(std::get<ToNode>(out_.back()).message);
  EXPECT_EQ(hello.job, "job");
  EXPECT_EQ(hello.ports, 3U);
  EXPECT_EQ(hosts_.state(kThere), Hosts::State::up);
  EXPECT_FALSE(hosts_.facts(kThere));
}

TEST_F(TwoHosts, OfAnotherProtocolAreRefused) {
  open_both();
  greet(kThere);
  wire::Welcome welcome;
  welcome.protocol = wire::kProtocol + 1;
  const auto accepted = hosts_.welcome(kThere, kFirstRun, welcome, kStart, out_);
  ASSERT_FALSE(accepted);
  EXPECT_NE(accepted.error().what.find("speaks protocol"), std::string::npos);
  EXPECT_EQ(hosts_.state(kThere), Hosts::State::up);
}

TEST_F(TwoHosts, ThatWouldMakeOtherEnvironmentsAreRefused) {
  open_both();
  greet(kThere);
  wire::Welcome welcome;
  welcome.version = "9";
  welcome.plans = ~wire::plan_digest();
  const auto accepted = hosts_.welcome(kThere, kFirstRun, welcome, kStart, out_);
  ASSERT_FALSE(accepted);
  EXPECT_EQ(accepted.error().what,
            "there: muster 9 there would give ranks a different environment than this one");
  EXPECT_EQ(hosts_.state(kThere), Hosts::State::up);
}

TEST_F(TwoHosts, ThatDoNotAnswerAreOverdue) {
  open_both();
  EXPECT_TRUE(hosts_.overdue(kStart).empty());
  const auto late = hosts_.overdue(kStart + options().carrier.patience);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late.front().first, kThere);
  hosts_.close(kThere, out_);
  EXPECT_EQ(count<CloseLink>(out_), 1U);
  hosts_.close(kThere, out_);
  EXPECT_EQ(count<CloseLink>(out_), 1U) << "there is nothing to close any more";
}

TEST_F(TwoHosts, AreSilentAfterALease) {
  greet_both();
  EXPECT_EQ(hosts_.state(kThere), Hosts::State::greeted);
  EXPECT_FALSE(hosts_.beat(kStart + seconds(1)));
  EXPECT_TRUE(hosts_.beat(kStart + seconds(2)));
  hosts_.ping(kThere, kFirstRun, kStart + seconds(2), out_);
  EXPECT_EQ(hosts_.status(kThere).pings, 1U);
  hosts_.pong(kThere, base::RunIndex(2), {1}, kStart + seconds(2));
  EXPECT_EQ(hosts_.status(kThere).pings, 1U) << "that was about another run";
  hosts_.pong(kThere, kFirstRun, {}, kStart + seconds(2));
  EXPECT_EQ(hosts_.status(kThere).pings, 1U) << "that was no answer";
  hosts_.pong(kThere, kFirstRun, {1}, kStart + seconds(2));
  EXPECT_EQ(hosts_.status(kThere).pings, 0U);
  EXPECT_FALSE(hosts_.silent({kThere, false}, kStart + seconds(7), out_));
  EXPECT_TRUE(hosts_.silent({kThere, false}, kStart + seconds(8), out_));
  EXPECT_FALSE(hosts_.silent({kThere, true}, kStart + seconds(8), out_));
  EXPECT_TRUE(hosts_.silent({kThere, true}, kStart + seconds(64), out_));
  hosts_.heard(kThere, kStart + seconds(5));
  EXPECT_FALSE(hosts_.silent({kThere, false}, kStart + seconds(12), out_));
}

TEST_F(TwoHosts, AreNotSilentWhileWeSleep) {
  greet_both();
  const Instant later = kStart + seconds(60);
  EXPECT_TRUE(hosts_.beat(later));
  EXPECT_FALSE(hosts_.silent({kThere, false}, later, out_));
}

TEST_F(TwoHosts, AreNotSilentWhileWeSleepForAWhileOnly) {
  greet_both();
  EXPECT_TRUE(hosts_.beat(kStart + seconds(6)));
  hosts_.sleep();
  const Instant late = kStart + seconds(8) + std::chrono::milliseconds(500);
  EXPECT_TRUE(hosts_.beat(late)) << "not so late that it shows by itself";
  EXPECT_FALSE(hosts_.silent({kThere, false}, late, out_));
  hosts_.woke(late);
  EXPECT_TRUE(hosts_.beat(late + seconds(2)));
  EXPECT_TRUE(hosts_.silent({kThere, false}, late + seconds(8), out_)) << "we are awake";
}

TEST_F(TwoHosts, LeaveWithTheLastRunAndMayBeOpenedAgain) {
  greet_both();
  hosts_.dismiss(kThere, kFirstRun, {}, false, kStart, out_);
  EXPECT_EQ(hosts_.state(kThere), Hosts::State::greeted) << "others need it";
  hosts_.dismiss(kThere, base::RunIndex(2), {}, true, kStart, out_);
  EXPECT_EQ(hosts_.state(kThere), Hosts::State::leaving);
  EXPECT_EQ(hosts_.next_leaving(), kStart + kLeaveTime);
  EXPECT_FALSE(hosts_.overstays(kThere, kStart + kLeaveTime - base::Duration(1)));
  EXPECT_TRUE(hosts_.overstays(kThere, kStart + kLeaveTime));
  hosts_.lost(kThere);
  EXPECT_FALSE(hosts_.next_leaving());
  EXPECT_EQ(hosts_.state(kThere), Hosts::State::waiting);
  out_.clear();
  hosts_.open(kThere, kStart + seconds(1), out_);
  hosts_.go_on(kStart + seconds(1), out_);
  EXPECT_EQ(count<OpenLink>(out_), 1U);
}

TEST_F(TwoHosts, WhoseLinkWasLostBeforeTheyWereDismissedMayBeOpenedAgain) {
  greet_both();
  hosts_.lost(kThere);
  hosts_.dismiss(kThere, kFirstRun, {}, true, kStart, out_);
  EXPECT_EQ(hosts_.state(kThere), Hosts::State::waiting) << "nothing would end its leaving";
  hosts_.check();
}

TEST_F(TwoHosts, AreFoundByTheirName) {
  EXPECT_EQ(hosts_.find(host("there", model::kOpened)), kThere);
  EXPECT_FALSE(hosts_.find(host("elsewhere", model::kOpened)));
}

TEST_F(TwoHosts, AreGreetedAgainForAnotherRound) {
  greet_both();
  hosts_.greet({kThere, "job"}, kThere, kFirstRun, kStart + seconds(3), out_);
  EXPECT_EQ(count<ToNode>(out_), 1U);
  EXPECT_TRUE(hosts_.facts(kThere)) << "what it told before";
}

}  // namespace
}  // namespace muster::machine::hosts_test
