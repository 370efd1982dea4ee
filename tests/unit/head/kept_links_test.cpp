// A link that goes from one head to the next: who hears it, and what its agent is told.
#include "head/kept_links.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "head/carried_link.hpp"
#include "model/carriers.hpp"

namespace muster::head::kept_links_test {
namespace {

using base::NodeIndex;
using base::RunIndex;

constexpr NodeIndex kBefore{1}, kAfter{0};
constexpr RunIndex kOld{1}, kNew{2};

model::Host host(const std::string& name) {
  model::Host host;
  host.name = name;
  host.carrier = model::kOpened;
  return host;
}

// The agent's end is this test's.
class KeptLink : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0);
    auto link = CarriedLink::over(links_.loop(), process::UniqueFd(ends_[0]),
                                  {kBefore, "a", "agent", "carrier"}, events("first head"));
    send(std::string(wire::kMagic));
    turn();
    EXPECT_EQ(heard_, std::vector<std::string>{"first head: up"});
    heard_.clear();
    links_.used(kOld);
    links_.keep(host("a"), {}, kBefore, kOld, std::move(link));
  }
  void TearDown() override { leave(); }

  HostLinkEvents events(const std::string& who) {
    HostLinkEvents events;
    events.up = [this, who] { heard_.push_back(who + ": up"); };
    events.message = [this, who](RunIndex run, const wire::ToHead&) {
      heard_.push_back(who + ": message of " + std::to_string(run.value));
    };
    events.output = [](RunIndex, const wire::OutputView&) {};
    events.ended = [this, who](const link::Diagnosis&) { heard_.push_back(who + ": ended"); };
    return events;
  }
  // The agent says so.
  void say(RunIndex run, NodeIndex number) {
    std::string bytes;
    wire::append(bytes, wire::ToHead(wire::Pong{}), {run, wire::HostSet(number)});
    send(bytes);
  }
  void send(const std::string& bytes) const {
    ASSERT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void leave() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }
  void turn() {
    links_.loop().restart();
    links_.loop().poll();
  }
  // To what runs, and how the link numbers the host.
  std::vector<std::pair<RunIndex, wire::Address>> byes() {
    std::array<char, 4096> bytes;
    const ssize_t size = ::recv(ends_[1], bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (size > 0) reader_.feed({bytes.data(), static_cast<std::size_t>(size)});
    std::vector<std::pair<RunIndex, wire::Address>> found;
    for (auto item = reader_.next(); item && *item; item = reader_.next()) {
      const wire::Address to = reader_.address();
      if (std::holds_alternative<wire::Bye>(**item)) found.emplace_back(to.run, to);
    }
    return found;
  }

  KeptLinks links_;
  std::array<int, 2> ends_{};
  std::vector<std::string> heard_;
  wire::AgentReader reader_;
};

TEST_F(KeptLink, IsForTheSameHostReachedInTheSameWay) {
  model::Host other = host("a");
  other.user = "somebody";
  model::CarrierSpec way;
  way.command = {"other-ssh"};
  EXPECT_EQ(links_.take(host("b"), {}, kAfter, events("second")), nullptr);
  EXPECT_EQ(links_.take(other, {}, kAfter, events("second")), nullptr);
  EXPECT_EQ(links_.take(host("a"), way, kAfter, events("second")), nullptr);
  const auto link = links_.take(host("a"), {}, kAfter, events("second"));
  ASSERT_NE(link, nullptr);
  EXPECT_TRUE(link->up());
  EXPECT_EQ(links_.take(host("a"), {}, kAfter, events("third")), nullptr) << "it is taken";
}

TEST_F(KeptLink, TheOldRunEndsOnceTheNewOneHasAnswered) {
  EXPECT_EQ(links_.next(), kNew);
  const auto link = links_.take(host("a"), {}, kAfter, events("second"));
  say(kOld, kBefore);  // was on its way
  turn();
  EXPECT_TRUE(byes().empty()) << "the agent would end with its only run";
  EXPECT_TRUE(heard_.empty());
  say(kNew, kAfter);
  say(kNew, kAfter);
  turn();
  const auto said = byes();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front().first, kOld);
  EXPECT_EQ(said.front().second.hosts, wire::HostSet(kAfter));
  EXPECT_EQ(heard_, (std::vector<std::string>{"second: message of 2", "second: message of 2"}));
}

TEST_F(KeptLink, AnAgentThatSpeaksForAnotherHostIsNotBelieved) {
  const auto link = links_.take(host("a"), {}, kAfter, events("second"));
  say(kNew, NodeIndex(7));
  turn();
  turn();
  EXPECT_EQ(heard_, std::vector<std::string>{"second: ended"});
}

TEST_F(KeptLink, OneThatEndsMeanwhileIsNotGiven) {
  leave();
  links_.look();
  EXPECT_EQ(links_.take(host("a"), {}, kAfter, events("second")), nullptr);
  EXPECT_EQ(links_.next(), base::kFirstRun) << "no link has carried anything";
}

TEST_F(KeptLink, IsToldGoodbye) {
  links_.say_goodbye();
  const auto said = byes();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(said.front().first, kOld);
  EXPECT_EQ(said.front().second.hosts, wire::HostSet(kBefore)) << "as the agent knows it";
}

}  // namespace
}  // namespace muster::head::kept_links_test
