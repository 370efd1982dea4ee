// What the kernel tells of real connections on the loopback.
#include "probe/heard_from.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "process/unique_fd.hpp"

namespace muster::probe {
namespace {

using base::Duration;
using process::UniqueFd;

constexpr Duration kLong = std::chrono::hours(1);
constexpr Duration kNever{-1};  // however lately something has come, it was before

// An address of this process's own: others have connections over the loopback, too.
std::string own_address() {
  const int pid = ::getpid();
  return fmt::format("127.{}.{}.{}", 100 + (pid >> 16) % 100, (pid >> 8) & 255, (pid & 255) | 1);
}

struct Pair {
  UniqueFd client;
  UniqueFd server;
};

// Connected from one to the other; `there` must be an address of the loopback.
Pair connect_to(const std::string& there, int family) {
  sockaddr_storage at{};
  at.ss_family = static_cast<sa_family_t>(family);
  void* bytes = family == AF_INET
                    ? static_cast<void*>(&reinterpret_cast<sockaddr_in*>(&at)->sin_addr)
                    : static_cast<void*>(&reinterpret_cast<sockaddr_in6*>(&at)->sin6_addr);
  EXPECT_EQ(::inet_pton(family, there.c_str(), bytes), 1);
  socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  auto* address = reinterpret_cast<sockaddr*>(&at);
  const UniqueFd listener(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(listener.get(), address, size) != 0) return {};
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), address, &size), 0);
  UniqueFd client(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(client.get(), address, size), 0);
  return {std::move(client), UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC))};
}

TEST(HeardFrom, WhoAcknowledgesWasHeard) {
  const std::string there = own_address();
  EXPECT_FALSE(heard_from(there, kLong)) << "nobody has connected";
  const Pair pair = connect_to(there, AF_INET);
  ASSERT_EQ(::send(pair.client.get(), "x", 1, 0), 1);  // the other end reads nothing
  EXPECT_TRUE(heard_from(there, kLong));
  EXPECT_FALSE(heard_from(there, kNever));
}

TEST(HeardFrom, AClosedConnectionTellsNothing) {
  const std::string there = own_address();
  { const Pair pair = connect_to(there, AF_INET); }
  EXPECT_FALSE(heard_from(there, kLong));
}

TEST(HeardFrom, AnIPv6AddressInAnySpelling) {
  const Pair pair = connect_to("::1", AF_INET6);
  if (!pair.client) GTEST_SKIP() << "there is no IPv6 here";
  EXPECT_TRUE(heard_from("::1", kLong));
  EXPECT_TRUE(heard_from("0:0::0:1", kLong));
}

// As sshd has them: one socket listens for both families.
TEST(HeardFrom, AnIPv4AddressOfAnIPv6Socket) {
  const std::string there = own_address();
  const Pair pair = connect_to("::ffff:" + there, AF_INET6);
  if (!pair.client) GTEST_SKIP() << "there is no IPv6 here";
  EXPECT_TRUE(heard_from(there, kLong));
}

TEST(HeardFrom, ManyConnectionsAreAllLookedAt) {
  constexpr int kMany = 300;  // in more than one part of the kernel's answer
  const std::string there = own_address();
  std::vector<Pair> others;
  for (int i = 0; i < kMany; ++i) others.push_back(connect_to("127.0.0.1", AF_INET));
  EXPECT_FALSE(heard_from(there, kLong));
  const Pair wanted = connect_to(there, AF_INET);
  for (int i = 0; i < kMany; ++i) others.push_back(connect_to("127.0.0.1", AF_INET));
  EXPECT_TRUE(heard_from(there, kLong));
}

TEST(HeardFrom, WhatIsNoAddressWasNotHeard) {
  for (const char* word : {"", "localhost", "127.0.0", "10.0.0.1/8"}) {
    EXPECT_FALSE(heard_from(word, kLong)) << word;
  }
}

}  // namespace
}  // namespace muster::probe
