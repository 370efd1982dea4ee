// Hosts that a run holds for launchers that its ranks call, and does not use itself.
#include <gtest/gtest.h>

#include "model/carriers.hpp"
#include "unit/machine/head_fixture.hpp"

namespace muster::machine::head_held_hosts_test {
namespace {

using base::NodeIndex;
using base::Rank;
using base::RunIndex;

constexpr NodeIndex kC{2};
constexpr RunIndex kInner{2};

// The command runs beside the head, on a; b and c have come.
class HeldHosts : public HeadFixture {
 protected:
  HeldHosts() {
    holds_spare_ = true;
    spare_ = {model::kCalled, model::kCalled};
    make({model::kLocal});
  }

  void greet(NodeIndex host) {
    now(LinkUp{host});
    hear(host, wire::Welcome{});
  }
  void run() {
    start();
    for (const NodeIndex host : {kA, kB, kC}) greet(host);
    hear(kA, wire::Prepared{});
    hear(kA, wire::Started{Rank(0), 100});
  }
  void end(std::int32_t code) {
    hear(kA, exited(0, code));
    ended_ = hear(kA, wire::Stopped{});
  }
  // What the launcher in the command sends to its host 0.
  Words launcher(const wire::ToAgent& message, std::uint32_t connection = 1) {
    wire::FromLauncher said{connection, {}};
    wire::append(said.bytes, message, {kFirstRun, wire::HostSet(NodeIndex(0))});
    return hear(kA, std::move(said));
  }
  Words launcher_leaves(std::uint32_t connection = 1) {
    return hear(kA, wire::FromLauncher{connection, {}});
  }

  Words ended_;
};

TEST_F(HeldHosts, NothingStartsBeforeAllHaveGreeted) {
  EXPECT_EQ(start(), (Words{"open a", "b joins", "c joins", "open b", "open c"}));
  greet(kA);
  greet(kB);
  now(LinkUp{kC});
  EXPECT_EQ(hear(kC, wire::Welcome{}), (Words{"a Prepare 1"}));
  EXPECT_EQ(hear(kA, wire::Prepared{}), (Words{"a Start"}));
}

TEST_F(HeldHosts, OneThatNeverGreetsIsTheRunsFailure) {
  start();
  greet(kA);
  greet(kB);
  const base::Error error{base::Fault::unreachable, "c: no answer", {}, {}};
  now(LinkFailed{kC, error, Retry::no});
  EXPECT_EQ(cause(), "c: no answer");
  EXPECT_EQ(exit_code(), 243);
}

TEST_F(HeldHosts, AreToldTheEndWithTheCommand) {
  run();
  end(3);
  EXPECT_EQ(ended_, (Words{"a Bye", "b Bye", "c Bye"}));
  EXPECT_EQ(exit_code(), 3);
  for (const NodeIndex host : {kB, kC}) now(LinkLost{host, lost("gone")});
  EXPECT_TRUE(machine_->finished());
}

TEST_F(HeldHosts, ALostOneIsToldAndTheCommandGoesOn) {
  run();
  EXPECT_EQ(now(LinkLost{kC, lost("c: the link broke")}), (Words{"say c: the link broke"}));
  EXPECT_EQ(cause(), "completed");
  end(0);
  EXPECT_EQ(ended_, (Words{"a Bye", "b Bye"}));
  EXPECT_EQ(exit_code(), 0);
}

TEST_F(HeldHosts, OneThatIsToldToEndIsLetGo) {
  run();
  const base::Error told{base::Fault::lost, "the host was told to end (SIGTERM)", {}, {}};
  EXPECT_EQ(hear(kB, wire::Refused{told}),
            (Words{"close b", "say b: the host was told to end (SIGTERM)"}));
  EXPECT_EQ(cause(), "completed");
}

TEST_F(HeldHosts, TheirSilenceIsNoticed) {
  run();
  Words said;
  for (int beat = 1; beat <= 17; ++beat) {
    const Words more = at(beat * 500, HeadTick{});
    said.insert(said.end(), more.begin(), more.end());
    now(Heard{kB, wire::Pong{}});
  }
  EXPECT_EQ(said.back(), "look for c at ''");
  EXPECT_EQ(now(HostSeen{kB, false}), Words{});
  EXPECT_EQ(now(HostSeen{kC, false}).front(), "close c");
}

TEST_F(HeldHosts, LaunchersUseThemOneAfterTheOther) {
  run();
  for (const std::uint32_t connection : {1U, 2U}) {
    const RunIndex inner(kInner.value + connection - 1);
    EXPECT_EQ(launcher(wire::Reach{"b", {}, 0}, connection).back(),
              fmt::format("a ToLauncher {}", connection));
    EXPECT_EQ(launcher(wire::Hello{}, connection), (Words{"b Hello"}));
    now(Heard{kB, wire::Welcome{}, inner});
    EXPECT_EQ(launcher(wire::Bye{}, connection).front(), "b Bye");
    launcher_leaves(connection);
    EXPECT_EQ(machine_->facts(kB).has_value(), true);
  }
  end(0);
  EXPECT_EQ(ended_, (Words{"a Bye", "b Bye", "c Bye"})) << "it was kept all the time";
}

TEST_F(HeldHosts, ALauncherHearsThatItsHostIsLost) {
  run();
  launcher(wire::Reach{"b", {}, 0});
  launcher(wire::Hello{});
  now(Heard{kB, wire::Welcome{}, kInner});
  const Words said = now(LinkLost{kB, lost("b: the link broke")});
  EXPECT_NE(std::ranges::find(said, "say b: the link broke"), said.end());
  EXPECT_NE(std::ranges::find(said, "a ToLauncher 1"), said.end());
  // It may ask again, as another launcher may: nobody can start an agent there.
  EXPECT_EQ(launcher(wire::Reach{"b", {}, 0}), (Words{"open b"}));
  const base::Error gone{base::Fault::unreachable, "b: this host has been lost", {}, {}};
  EXPECT_EQ(now(LinkFailed{kB, gone, Retry::no}), (Words{"a ToLauncher 1"}));
  EXPECT_EQ(cause(), "completed");
}

TEST_F(HeldHosts, ASignalEndsTheCommandThenAll) {
  run();
  EXPECT_EQ(now(UserSignal{15}).back(), "a Stop 15");
  hear(kA, exited(0, 0, 15));
  EXPECT_EQ(hear(kA, wire::Stopped{}), (Words{"a Bye", "b Bye", "c Bye"}));
}

}  // namespace
}  // namespace muster::machine::head_held_hosts_test
