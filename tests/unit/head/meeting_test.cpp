// Whom a node joins: what listens may be another user's, who knows the job's name all the same.
#include "head/meeting.hpp"

#include <array>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/handshake.hpp"

namespace muster::head {
namespace {

using asio::ip::tcp;

constexpr const char* kSecret = "rdzv-id none";

enum class Listens { node_0, other_program };

// Node 0 as whoever this process is: tells its port, and takes one node that joins. Another program
// says what it is at once. No exception leaves it.
void lead(int told, Listens what) {
  std::error_code error;
  asio::io_context loop;
  tcp::acceptor acceptor(loop);
  acceptor.open(tcp::v4(), error);
  acceptor.bind({asio::ip::make_address("127.0.0.1"), 0}, error);
  acceptor.listen(tcp::acceptor::max_listen_connections, error);
  const std::uint16_t port = acceptor.local_endpoint(error).port();
  (void)!::write(told, &port, sizeof port);
  tcp::socket node(loop);
  acceptor.accept(node, error);
  if (what == Listens::other_program) {
    asio::write(node, asio::buffer(std::string("SSH-2.0-OpenSSH_9.2\r\n")), error);
    (void)node.wait(tcp::socket::wait_read, error);
    return;
  }
  link::HostHandshake talk(kSecret, std::string(32, '7'));
  asio::write(node, asio::buffer(talk.greeting()), error);
  std::array<char, 4096> buffer{};
  while (!error) {
    const std::size_t size = node.read_some(asio::buffer(buffer), error);
    if (error) return;
    const auto step = talk.take({buffer.data(), size});
    if (!step) return;
    asio::write(node, asio::buffer(step->send), error);
    if (step->join) asio::write(node, asio::buffer("begin\n", 6), error);
  }
}

// Joins what another user has started.
base::Result<process::UniqueFd> join_another_users(bool is_guessable,
                                                   Listens what = Listens::node_0) {
  constexpr uid_t kOther = 54321;
  int told[2];
  if (::pipe(told) != 0) return base::fail(base::Fault::internal, "", "no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(kOther) == 0) lead(told[1], what);
    ::_exit(0);
  }
  ::close(told[1]);
  std::uint16_t port = 0;
  const bool is_there = ::read(told[0], &port, sizeof port) == sizeof port;
  ::close(told[0]);
  const model::Meeting meeting{.host = "127.0.0.1",
                               .port = port,
                               .nodes = 2,
                               .node = 1,
                               .secret = kSecret,
                               .limit = std::chrono::seconds(is_there ? 60 : 0),
                               .is_guessable = is_guessable};
  wire::Join join;
  join.nodes = 2;
  join.node = 1;
  join.command = {"true"};
  auto joined = join_meeting(meeting, join, {[](const std::string&) {}});
  if (joined) joined->reset();  // node 0 ends with its node
  (void)::waitpid(child, nullptr, 0);
  return joined;
}

TEST(JoinMeeting, AnotherUserGivesNoOrders) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const auto joined = join_another_users(true);
  ASSERT_FALSE(joined);
  EXPECT_EQ(joined.error().fault, base::Fault::usage);
  EXPECT_NE(joined.error().what.find("it is another user's; --rdzv-secret-file FILE"),
            std::string::npos)
      << joined.error().what;
}

// As at a wrong port: no file would help.
TEST(JoinMeeting, WhatIsNoNodeIsNotCalledAnothersNode) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const auto joined = join_another_users(true, Listens::other_program);
  ASSERT_FALSE(joined);
  EXPECT_NE(joined.error().what.find("something else than a muster"), std::string::npos)
      << joined.error().what;
}

TEST(JoinMeeting, WhoeverHasTheFileMayLead) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const auto joined = join_another_users(false);
  EXPECT_TRUE(joined) << joined.error().what;
}

}  // namespace
}  // namespace muster::head
