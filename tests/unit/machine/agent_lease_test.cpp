// AgentMachine: a head that is silent, and what its machine's kernel says then.
#include <csignal>
#include <fmt/format.h>

#include "unit/machine/agent_fixture.hpp"

namespace muster::machine::agent_lease_test {
namespace {

using base::Duration;
using std::chrono::seconds;

class AgentLease : public AgentFixture {};

TEST_F(AgentLease, SilenceLongerThanTheLeaseDropsTheLinkFirst) {
  make_running(1);
  EXPECT_EQ(deadline(), 4000);
  EXPECT_EQ(at(seconds(5), wire::ToAgent{wire::Ping{}}), Words{"Pong"});
  EXPECT_EQ(deadline(), 9000);
  EXPECT_EQ(at(seconds(9), Tick{}), Words{"Pong"}) << "which its kernel shall acknowledge";
  EXPECT_EQ(deadline(), 11'000);
  EXPECT_EQ(at(seconds(12), Tick{}), Words{"Pong"}) << "a little late";
  EXPECT_EQ(deadline(), 13'000);
  EXPECT_EQ(at(seconds(13), Tick{}), (Words{"Pong", "look for the head, lease 8000 ms"}));
  EXPECT_EQ(at(seconds(13), HeadSeen{false}),
            (Words{"drop link: nothing heard from the head for 8 s (--lease)", "discard",
                   fmt::format("signal 0 {}", SIGTERM), fmt::format("signal 0 {}", SIGCONT)}));
  EXPECT_EQ(at(seconds(16), Tick{}), Words{"sweep"});
}

TEST_F(AgentLease, ABusyHeadMayBeSilentForLonger) {
  make_running(1);
  for (int time = 4; time < 8; time += 2) EXPECT_EQ(at(seconds(time), Tick{}), Words{"Pong"});
  for (int time = 8; time < 64; time += 2) {
    EXPECT_EQ(deadline(), time * 1000);
    EXPECT_EQ(at(seconds(time), Tick{}), (Words{"Pong", "look for the head, lease 8000 ms"}));
    EXPECT_EQ(at(seconds(time), HeadSeen{true}), Words{});
  }
  at(seconds(64), Tick{});
  EXPECT_EQ(at(seconds(64), HeadSeen{true}).front(),
            "drop link: nothing heard from the head for 64 s (--lease)");
}

TEST_F(AgentLease, AHeadThatSpeaksMeanwhileIsThere) {
  make_running(1);
  for (int time = 4; time <= 8; time += 2) at(seconds(time), Tick{});
  EXPECT_EQ(hear(wire::Ping{}), Words{"Pong"});
  EXPECT_EQ(now(HeadSeen{false}), Words{}) << "an answer that came too late";
  EXPECT_EQ(deadline(), 12'000);
}

TEST_F(AgentLease, WhatItSleptThroughItselfIsNoSilenceOfTheHead) {
  make_running(1);
  EXPECT_EQ(at(seconds(20), Tick{}), Words{}) << "the machine stood still: its look was due at 4 s";
  EXPECT_EQ(deadline(), 24'000);
  EXPECT_EQ(at(seconds(24), Tick{}), Words{"Pong"});
  EXPECT_EQ(at(seconds(26), Tick{}), Words{"Pong"});
  EXPECT_EQ(at(seconds(28), Tick{}).back(), "look for the head, lease 8000 ms");
  EXPECT_EQ(now(HeadSeen{false}).front(),
            "drop link: nothing heard from the head for 8 s (--lease)");
}

TEST_F(AgentLease, ASuspendedHeadMayBeSilent) {
  make_running(1);
  hear(wire::Suspend{true});
  EXPECT_EQ(deadline(), -1);
  EXPECT_EQ(at(seconds(60), wire::ToAgent{wire::Suspend{false}}), Words{});
  EXPECT_EQ(deadline(), 64'000);
}

TEST_F(AgentLease, WaitsForItsGreetingNotForEver) {
  EXPECT_EQ(now(Tick{}), Words{});
  EXPECT_EQ(deadline(), std::chrono::duration_cast<Duration>(kHelloTime / 2).count());
  EXPECT_EQ(at(kHelloTime / 2, Tick{}), Words{}) << "it does not speak first";
  EXPECT_EQ(at(kHelloTime / 4 * 3, Tick{}), Words{});
  EXPECT_EQ(at(kHelloTime, Tick{}), Words{"look for the head, lease 30000 ms"});
  EXPECT_EQ(now(HeadSeen{false}),
            (Words{"drop link: nothing heard from the head for 30 s (--lease)", "quit"}));
}

TEST_F(AgentLease, BesideTheHeadThereIsNoLease) {
  AgentOptions options;
  options.leased = false;
  machine_ = AgentMachine(options);
  make_running(1);
  EXPECT_EQ(deadline(), -1);
}

}  // namespace
}  // namespace muster::machine::agent_lease_test
