// The connection from a launcher inside a rank to the head above it.
#include "link/link_above.hpp"

#include <array>
#include <asio/io_context.hpp>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace muster::link {
namespace {

using base::NodeIndex;

wire::Address host(std::uint32_t number) {
  return {base::kFirstRun, wire::HostSet(NodeIndex(number))};
}

class LinkAboveTest : public testing::Test {
 protected:
  LinkAboveTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0);
    LinkAboveEvents events;
    events.message = [this](NodeIndex from, base::RunIndex, const wire::ToHead& message) {
      heard_.push_back(fmt::format("{}: kind {}", from.value, message.index()));
    };
    events.output = [this](NodeIndex from, base::RunIndex, const wire::OutputView& view) {
      heard_.push_back(fmt::format("{}: {}", from.value, view.bytes));
    };
    events.gone = [this](const base::Error& error) { heard_.push_back("gone: " + error.what); };
    link_.emplace(loop_, process::UniqueFd(ends_[0]), std::move(events));
  }
  ~LinkAboveTest() override {
    if (ends_[1] >= 0) ::close(ends_[1]);
  }
  LinkAboveTest(const LinkAboveTest&) = delete;
  LinkAboveTest& operator=(const LinkAboveTest&) = delete;

  void put(std::string_view bytes) {
    EXPECT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  // Until so much has been heard, in all.
  std::vector<std::string> heard(std::size_t count) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (heard_.size() < count && std::chrono::steady_clock::now() < limit) {
      loop_.run_one_for(std::chrono::milliseconds(100));
      loop_.restart();
    }
    return heard_;
  }
  // What the head above has received.
  std::string received() {
    loop_.poll();
    loop_.restart();
    std::string bytes(65'536, '\0');
    const ssize_t size = ::recv(ends_[1], bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return bytes;
  }

  using Heard = std::vector<std::string>;
  asio::io_context loop_;
  std::array<int, 2> ends_{-1, -1};
  std::vector<std::string> heard_;
  std::optional<LinkAbove> link_;
};

TEST_F(LinkAboveTest, HearsEachHostAfterTheMagicLine) {
  std::string bytes(wire::kMagic);
  wire::append(bytes, wire::ToHead(wire::Reached{}), host(3));
  wire::append_output(bytes, base::Rank(0), wire::Stream::out, "text", host(70));
  put(bytes);
  const auto reached = wire::ToHead(wire::Reached{}).index();
  EXPECT_EQ(heard(2), (Heard{fmt::format("3: kind {}", reached), "70: text"}));
}

TEST_F(LinkAboveTest, AFrameOfNoHostIsNonsense) {
  std::string bytes(wire::kMagic);
  wire::append(bytes, wire::ToHead(wire::Reached{}), {});
  put(bytes);
  EXPECT_EQ(heard(1), (Heard{"gone: a frame came that names no host"}));
}

TEST_F(LinkAboveTest, AnotherProtocolIsTold) {
  put("\x1dmuster-agent 9\n");
  EXPECT_EQ(heard(1).front().substr(0, 32), "gone: the head above speaks prot");
}

TEST_F(LinkAboveTest, AnEndIsToldOnce) {
  put(wire::kMagic);
  ::close(std::exchange(ends_[1], -1));
  EXPECT_EQ(heard(1), (Heard{"gone: the head above has gone"}));
  link_->send(wire::ToAgent(wire::Ping{}), host(1));
  EXPECT_EQ(heard_.size(), 1U);
}

TEST_F(LinkAboveTest, AnEndBeforeTheMagicLineIsNoHead) {
  ::close(std::exchange(ends_[1], -1));
  EXPECT_EQ(heard(1), (Heard{"gone: the head of this job does not answer at MUSTER_HEAD"}));
}

TEST_F(LinkAboveTest, AFrameForSeveralHostsIsSentOnce) {
  const auto frame = std::make_shared<const std::string>("one frame");
  for (int i = 0; i < 3; ++i) link_->send(frame);
  EXPECT_EQ(received(), "one frame");
  link_->send(std::make_shared<const std::string>("one frame"));
  EXPECT_EQ(received(), "one frame") << "it is another one";
  link_->send(wire::ToAgent(wire::Ping{}), host(1));
  (void)received();
  link_->send(frame);
  EXPECT_EQ(received(), "one frame") << "the same again, later";
}

}  // namespace
}  // namespace muster::link
