// How many strangers find room at a door.
#include "head/door.hpp"

#include <array>
#include <asio/connect.hpp>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace muster::head {
namespace {

using asio::ip::tcp;

// Connections that say half a word, all of one moment; how many the door keeps.
std::size_t kept_of(std::size_t callers, std::size_t expected) {
  asio::io_context loop;
  Door door(loop, "secret", expected, {});
  EXPECT_FALSE(door.listen({asio::ip::make_address("127.0.0.1"), 0}));
  door.open();
  std::vector<tcp::socket> sockets;
  for (std::size_t i = 0; i < callers; ++i) {
    sockets.emplace_back(loop);
    sockets.back().connect({asio::ip::make_address("127.0.0.1"), door.port()});
    sockets.back().send(asio::buffer("m", 1));
  }
  while (loop.poll() > 0) {
  }
  return door.visitors().size();
}

TEST(Door, HasRoomForAllThatAreExpectedAtOnce) {
  EXPECT_EQ(kept_of(200, 200), 200u);
  EXPECT_EQ(kept_of(100, 0), 64u);
}

// Strangers that say nothing cost nothing, as many as they are, while somebody comes who speaks;
// but whoever waits to be greeted is greeted.
TEST(Door, WhoSpeaksIsHeardBeforeTheSilent) {
  asio::io_context loop;
  Door door(loop, "secret", 0, {});
  ASSERT_FALSE(door.listen({asio::ip::make_address("127.0.0.1"), 0}));
  door.open();
  const tcp::endpoint at(asio::ip::make_address("127.0.0.1"), door.port());
  std::vector<tcp::socket> all;
  for (int i = 0; i < 300; ++i) all.emplace_back(loop).connect(at);
  all.emplace_back(loop).connect(at);
  all.back().send(asio::buffer("m", 1));
  while (door.visitors().empty()) loop.run_one();
  std::error_code error;
  EXPECT_EQ(door.visitors().front()->socket.remote_endpoint(error), all.back().local_endpoint());
  while (door.visitors().size() < 64) loop.run_one();
}

// A node that has shown to be of this job has its place, however many come after.
TEST(Door, WhoIsKnownMakesNoRoom) {
  asio::io_context loop;
  Door door(loop, "secret", 0, {});
  ASSERT_FALSE(door.listen({asio::ip::make_address("127.0.0.1"), 0}));
  door.open();
  const tcp::endpoint at(asio::ip::make_address("127.0.0.1"), door.port());
  tcp::socket node(loop);
  node.connect(at);
  link::GuestHandshake talk("secret", std::string(32, '1'), {});
  node.send(asio::buffer(talk.opening()));
  while (door.visitors().empty()) loop.run_one();
  std::array<char, 256> greeting{};
  const std::size_t size = node.receive(asio::buffer(greeting));
  const auto step = talk.take({greeting.data(), size});
  ASSERT_TRUE(step);
  node.send(asio::buffer(step->send));
  while (!door.visitors().empty() && !door.visitors().front()->talk.known()) loop.run_one();
  ASSERT_EQ(door.visitors().size(), 1U);
  std::vector<tcp::socket> crowd;
  crowd.reserve(300);
  for (int i = 0; i < 300; ++i) {
    crowd.emplace_back(loop);
    crowd.back().connect(at);
    crowd.back().send(asio::buffer("m", 1));
    while (loop.poll() > 0) {
    }
  }
  EXPECT_EQ(door.visitors().size(), 1U + 64U);
  EXPECT_TRUE(door.visitors().front()->talk.known());
}

}  // namespace
}  // namespace muster::head
