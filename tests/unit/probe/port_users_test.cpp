// Which tasks have to do with a port, by the kernel's tables of sockets.
#include "probe/port_users.hpp"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::probe::port_users_test {
namespace {

namespace fs = std::filesystem;
using asio::ip::tcp;
using Users = std::map<std::uint64_t, std::uint16_t>;

// As the kernel writes them; 29500 is 733C.
constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 00000000:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
    "101 1 0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:733C 0100007F:8001 01 00000000:00000000 00:00000000 00000000     0        0 "
    "102 1 0000000000000000 20 0 0 10 -1\n"
    "   2: 0100007F:8001 0100007F:733C 01 00000000:00000000 00:00000000 00000000     0        0 "
    "103 1 0000000000000000 20 0 0 10 -1\n"
    "   3: 0100007F:8002 0100007F:733C 06 00000000:00000000 03:00000A5C 00000000     0        0 "
    "0 3 0000000000000000\n"
    "   4: 0100007F:8003 0200007F:733C 02 00000001:00000000 01:00000064 00000000     0        0 "
    "104 2 0000000000000000\n";

class PortUsers : public testing::Test {
 protected:
  PortUsers()
      : root_(fs::path(testing::TempDir()) / ("port-users-" + std::to_string(::getpid()))) {}
  ~PortUsers() override { fs::remove_all(root_); }
  PortUsers(const PortUsers&) = delete;
  PortUsers& operator=(const PortUsers&) = delete;

  fs::path root_;
};

TEST_F(PortUsers, ListenThereOrAreConnectedToIt) {
  fs::create_directories(root_ / "proc/self/net");
  std::ofstream(root_ / "proc/self/net/tcp") << kTable;
  EXPECT_EQ(port_users(root_.string(), {29500}), (Users{{101, 29500}, {103, 29500}, {104, 29500}}))
      << "102 is the listener's end, 3 has been closed";
  EXPECT_EQ(port_users(root_.string(), {29501}), Users{});
}

TEST_F(PortUsers, AreKnownByTheSocketsOfATaskAndOfWhatItStarted) {
  for (const char* folder : {"7/fd", "7/task/7", "8/fd", "8/task/8"}) {
    fs::create_directories(root_ / "proc" / folder);
  }
  std::ofstream(root_ / "proc/7/task/7/children") << "8 ";
  std::ofstream(root_ / "proc/8/task/8/children") << "";
  fs::create_symlink("/dev/null", root_ / "proc/7/fd/0");
  fs::create_symlink("socket:[103]", root_ / "proc/8/fd/3");
  EXPECT_EQ(sockets_of(root_.string(), 7), std::set<std::uint64_t>{103});
  EXPECT_EQ(sockets_of(root_.string(), 9), std::set<std::uint64_t>{}) << "it has ended";
}

TEST_F(PortUsers, OfThisProcessAreFoundInTheKernelsTables) {
  asio::io_context loop;
  tcp::acceptor listener(loop, {asio::ip::address_v6::loopback(), 0});
  const std::uint16_t port = listener.local_endpoint().port();
  const auto mine = [&] {
    std::size_t count = 0;
    const auto own = sockets_of("", ::getpid());
    for (const auto& [socket, at] : port_users("", {port})) count += own.contains(socket) ? 1 : 0;
    return count;
  };
  EXPECT_EQ(mine(), 1U);
  tcp::socket client(loop);
  client.connect(listener.local_endpoint());
  EXPECT_EQ(mine(), 2U);
}

}  // namespace
}  // namespace muster::probe::port_users_test
