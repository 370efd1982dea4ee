// Who makes room at a door that strangers crowd, and how many find room.
#include "head/door.hpp"

#include <asio/connect.hpp>
#include <gtest/gtest.h>

namespace muster::head {
namespace {

using asio::ip::tcp;

std::vector<asio::ip::address> places(const std::vector<std::string>& texts) {
  std::vector<asio::ip::address> all;
  all.reserve(texts.size());
  for (const std::string& text : texts) all.push_back(asio::ip::make_address(text));
  return all;
}

TEST(OneToLeave, IsTheOldestOfThePlaceWithMost) {
  EXPECT_EQ(one_to_leave(places({"10.0.0.1", "10.0.0.9", "10.0.0.2", "10.0.0.9"})), 1u);
}

TEST(OneToLeave, IsTheOldestOfAllAmongEquals) {
  EXPECT_EQ(one_to_leave(places({"10.0.0.7", "10.0.0.9", "10.0.0.1"})), 0u);
}

// Connections that say nothing, all of one moment; how many the door keeps.
std::size_t kept_of(std::size_t callers, std::size_t expected) {
  asio::io_context loop;
  Door door(loop, "secret", expected, {});
  EXPECT_FALSE(door.listen({asio::ip::make_address("127.0.0.1"), 0}));
  door.open();
  std::vector<tcp::socket> sockets;
  for (std::size_t i = 0; i < callers; ++i) {
    sockets.emplace_back(loop);
    sockets.back().connect({asio::ip::make_address("127.0.0.1"), door.port()});
  }
  while (loop.poll() > 0) {
  }
  return door.visitors().size();
}

TEST(Door, HasRoomForAllThatAreExpectedAtOnce) {
  EXPECT_EQ(kept_of(200, 200), 200u);
  EXPECT_EQ(kept_of(100, 0), 64u);
}

}  // namespace
}  // namespace muster::head
