// Tasks whose sockets show that they have joined: each is told once.
#include "host/joining.hpp"

#include <asio/ip/tcp.hpp>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::host::joining_test {
namespace {

using asio::ip::tcp;
using base::Rank;

machine::TaskOrder task(std::uint32_t rank, std::uint16_t joins_at) {
  machine::TaskOrder order;
  order.rank = Rank(rank);
  order.joins_at = joins_at;
  return order;
}

// Rank 0 is this process.
TEST(Joining, IsToldOnceOfEachTaskThatListensAtItsPort) {
  asio::io_context loop;
  tcp::acceptor listener(loop, {asio::ip::address_v4::loopback(), 0});
  const std::uint16_t port = listener.local_endpoint().port();
  std::vector<Rank> told;
  Joining joining(
      loop, {task(0, port), task(1, port), task(2, 0)},
      [](Rank rank) { return rank == Rank(1) ? pid_t{0} : ::getpid(); },
      [&](Rank rank) { told.push_back(rank); });
  joining.look();
  EXPECT_EQ(told, std::vector{Rank(0)}) << "1 does not run, and 2 is not looked at";
  joining.look();
  EXPECT_EQ(told.size(), 1U);
}

TEST(Joining, OfATaskWithoutSocketsIsNotTold) {
  asio::io_context loop;
  bool told = false;
  std::uint16_t port = 0;
  {
    const tcp::acceptor listener(loop, {asio::ip::address_v4::loopback(), 0});
    port = listener.local_endpoint().port();
  }
  Joining joining(
      loop, {task(0, port)}, [](Rank) { return ::getpid(); }, [&](Rank) { told = true; });
  joining.look();
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace muster::host::joining_test
