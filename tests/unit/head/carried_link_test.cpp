// A carrier whose owner drops it in the middle of one of its callbacks: nothing more is heard.
#include "head/carried_link.hpp"

#include <array>
#include <asio/io_context.hpp>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace muster::head {
namespace {

using Heard = std::vector<std::string>;

constexpr base::NodeIndex kHost{0};
const wire::Address kFromHost{base::kFirstRun, wire::HostSet(kHost)};

class DroppedLink : public testing::Test {
 protected:
  // Everything at once: greeting, five frames, output, a frame of a kind that does not exist.
  void SetUp() override {
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0);
    std::string bytes(wire::kMagic);
    for (int i = 0; i < 5; ++i) wire::append(bytes, wire::ToHead(wire::Pong{}), kFromHost);
    wire::append_output(bytes, base::Rank(0), wire::Stream::out, "x", kFromHost);
    bytes += std::string("\0\0\0\0\x09\0\0\0\0\0\0", 11);
    ASSERT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void TearDown() override { ::close(ends_[1]); }

  Heard drop_at(const std::string& word) {
    asio::io_context loop;
    Heard heard;
    std::unique_ptr<HostLink> carrier;
    const auto hear = [&](const std::string& what) {
      heard.push_back(what);
      if (what == word) carrier.reset();
    };
    HostLinkEvents events;
    events.up = [&] { hear("up"); };
    events.message = [&](base::RunIndex, const wire::ToHead&) { hear("message"); };
    events.output = [&](base::RunIndex, const wire::OutputView&) { hear("output"); };
    events.ended = [&](const link::Diagnosis&) { hear("ended"); };
    carrier = CarriedLink::over(loop, process::UniqueFd(ends_[0]),
                                {kHost, "host", "agent", "carrier"}, std::move(events));
    loop.run_for(std::chrono::seconds(5));
    EXPECT_EQ(carrier, nullptr);
    return heard;
  }

  std::array<int, 2> ends_{};
};

TEST_F(DroppedLink, WhenItIsUp) { EXPECT_EQ(drop_at("up"), Heard{"up"}); }

TEST_F(DroppedLink, AtAMessage) { EXPECT_EQ(drop_at("message"), (Heard{"up", "message"})); }

TEST_F(DroppedLink, AtOutput) {
  EXPECT_EQ(drop_at("output"),
            (Heard{"up", "message", "message", "message", "message", "message", "output"}));
}

TEST_F(DroppedLink, AtItsEnd) {
  EXPECT_EQ(drop_at("ended"), (Heard{"up", "message", "message", "message", "message", "message",
                                     "output", "ended"}));
}

}  // namespace
}  // namespace muster::head
