// Orders for the helper outside of a container: words and two descriptors over a socket.
#include "process/helper_outside.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "process/pipe.hpp"
#include "unit/folder.hpp"

namespace muster::process {
namespace {

UniqueFd listening(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  EXPECT_EQ(::bind(socket.get(), name, sizeof address), 0);
  EXPECT_EQ(::listen(socket.get(), 1), 0);
  return socket;
}

// The process that carries out the order is this one: it writes to what it was given.
TEST(HelperOutside, WordsAndDescriptorsArrive) {
  const unit::Folder folder;
  const UniqueFd listener = listening(folder.path() + "/socket");
  set_outside("/nowhere");
  EXPECT_EQ(outside(), "");
  set_outside(folder.path());
  ASSERT_EQ(outside(), folder.path());
  auto pipe = make_pipe().value();
  const auto call = start_outside({"topology", "", "x y"}, -1, pipe.write.get());
  ASSERT_TRUE(call.has_value());
  const UniqueFd taken(::accept(listener.get(), nullptr, nullptr));
  const auto order = receive_order(taken.get());
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->words, (std::vector<std::string>{"topology", "", "x y"}));
  EXPECT_EQ(::write(order->ends[1].get(), "answer", 6), 6);
  std::array<char, 6> text{};
  EXPECT_EQ(::read(pipe.read.get(), text.data(), text.size()), 6);
  answer_order(taken.get(), {3, 0});
  EXPECT_EQ(wait_outside(*call).code, 3);
  set_outside("");
}

TEST(HelperOutside, AnEndWithoutAnAnswerIsOne) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
  const UniqueFd ours(ends[0]);
  { const UniqueFd theirs(ends[1]); }
  EXPECT_EQ(wait_outside(ours).code, -1);
}

TEST(HelperOutside, WhatMakesNoSenseIsNoOrder) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
  const UniqueFd ours(ends[0]), theirs(ends[1]);
  ASSERT_EQ(::send(theirs.get(), "words", 5, 0), 5);
  EXPECT_FALSE(receive_order(ours.get()));
  EXPECT_FALSE(receive_order(ours.get()));
}

}  // namespace
}  // namespace muster::process
