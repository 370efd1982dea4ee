// Who is at the other end, and the gate before the library.
#include <array>
#include <cerrno>
#include <cstring>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <optional>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "pmix/gate.hpp"
#include "pmix/listener.hpp"
#include "pmix/loopback_peer.hpp"
#include "pmix/proxy.hpp"
#include "unit/files_limit.hpp"

namespace muster::pmix {
namespace {

constexpr std::string_view kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1\n"
    "   1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 2\n"
    "   2: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  2000        0 3\n"
    "   3: 0100007F:C351 0100007F:1F90 05 00000000:00000000 00:00000000 00000000     0        0 "
    "0\n";

TEST(OwnerIn, FindsTheOtherEndAndNotOurs) {
  EXPECT_EQ(owner_in(kTable, 0x0100007f, 50000, 0x0100007f, 8080), 1000u);
  EXPECT_EQ(owner_in(kTable, 0x0100007f, 8080, 0x0100007f, 50000), 2000u);
}

// The kernel says "root" of sockets that nobody holds any more.
TEST(OwnerIn, SaysNothingOfWhatHasBeenClosed) {
  EXPECT_EQ(owner_in(kTable, 0x0100007f, 50001, 0x0100007f, 8080), std::nullopt);
}

TEST(OwnerIn, SaysNothingOfWhatIsNotListed) {
  EXPECT_EQ(owner_in(kTable, 0x0100007f, 50002, 0x0100007f, 8080), std::nullopt);
  EXPECT_EQ(owner_in("", 0x0100007f, 50000, 0x0100007f, 8080), std::nullopt);
  EXPECT_EQ(owner_in("   1: 0100007F:C350 0100007F:1F90 01 0", 0x0100007f, 50000, 0x0100007f, 8080),
            std::nullopt);
}

sockaddr_in address(std::uint32_t host, std::uint16_t port) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  made.sin_addr.s_addr = htonl(host);
  made.sin_port = htons(port);
  return made;
}

process::UniqueFd connected(std::uint16_t port, int wait_ms, std::uint32_t from = INADDR_LOOPBACK) {
  process::UniqueFd made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const sockaddr_in own = address(from, 0);
  const sockaddr_in to = address(INADDR_LOOPBACK, port);
  (void)::bind(made.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own);
  (void)::connect(made.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to);
  pollfd entry{made.get(), POLLOUT, 0};
  if (::poll(&entry, 1, wait_ms) != 1 || (entry.revents & POLLERR) != 0) made.reset();
  return made;
}

TEST(LoopbackPeer, IsThisUser) {
  auto listener = listen_on_loopback();
  ASSERT_TRUE(listener) << listener.error().what;
  const auto client = connected(listener->port, 5000);
  ASSERT_TRUE(client);
  ASSERT_EQ(::send(client.get(), "x", 1, 0), 1);
  const process::UniqueFd accepted(::accept(listener->socket.get(), nullptr, nullptr));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(loopback_peer(accepted.get()), ::geteuid());
}

TEST(LoopbackPeer, IsThisUserOverIpv6Too) {
  const process::UniqueFd listener(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 at{};
  at.sin6_family = AF_INET6;
  at.sin6_addr = in6addr_loopback;
  socklen_t size = sizeof at;
  auto* const name = reinterpret_cast<sockaddr*>(&at);
  if (::bind(listener.get(), name, size) != 0) GTEST_SKIP() << "no IPv6 here";
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), name, &size), 0);
  process::UniqueFd client(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(client.get(), name, size), 0);
  const process::UniqueFd accepted(::accept(listener.get(), nullptr, nullptr));
  EXPECT_EQ(loopback_peer(accepted.get()), ::geteuid());
  client.reset();
  EXPECT_EQ(loopback_peer(accepted.get()), std::nullopt);
}

TEST(LoopbackPeer, IsNobodyOnceItHasHungUp) {
  auto listener = listen_on_loopback();
  ASSERT_TRUE(listener) << listener.error().what;
  auto client = connected(listener->port, 5000);
  ASSERT_TRUE(client);
  client.reset();
  const process::UniqueFd accepted(::accept(listener->socket.get(), nullptr, nullptr));
  ASSERT_TRUE(accepted);
  EXPECT_EQ(loopback_peer(accepted.get()), std::nullopt);
}

class Locked : public testing::TestWithParam<Lock> {};

TEST_P(Locked, LetsInOnlyWhoEntersThroughIt) {
  auto listener = listen_on_loopback();
  ASSERT_TRUE(listener) << listener.error().what;
  auto gate = Gate::shut(listener->port, GetParam());
  if (!gate) GTEST_SKIP() << gate.error().what << "; " << gate.error().hint;
  constexpr int kLongEnoughMs = 300;  // a connection on loopback takes microseconds
  EXPECT_FALSE(connected(listener->port, kLongEnoughMs));
  for (int round = 0; round < 50; ++round) {
    auto entered = gate->enter();
    ASSERT_TRUE(entered) << entered.error().what;
    ASSERT_EQ(::send(entered->get(), "x", 1, 0), 1);
    const process::UniqueFd accepted(::accept(listener->socket.get(), nullptr, nullptr));
    ASSERT_TRUE(accepted);
    char byte = 0;
    EXPECT_EQ(::recv(accepted.get(), &byte, 1, 0), 1);
  }
  EXPECT_FALSE(connected(listener->port, kLongEnoughMs));
  EXPECT_FALSE(connected(listener->port, kLongEnoughMs, INADDR_LOOPBACK + 1));
}

INSTANTIATE_TEST_SUITE_P(Gate, Locked, testing::Values(Lock::filter, Lock::signature),
                         [](const auto& lock) {
                           return lock.param == Lock::filter ? "ByAFilter" : "BySignatures";
                         });

// Without any right, as in a pod; the rights of this thread only.
TEST(Gate, IsShutWithoutCapabilities) {
  auto listener = listen_on_loopback();
  ASSERT_TRUE(listener) << listener.error().what;
  std::thread([&] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    ASSERT_EQ(::syscall(SYS_capset, &header, none.data()), 0);
    auto gate = Gate::shut(listener->port);
    ASSERT_TRUE(gate) << gate.error().what << "; " << gate.error().hint;
    EXPECT_TRUE(gate->enter());
  }).join();
}

TEST(Gate, SaysWhenThereIsNoSuchSocket) {
  std::uint16_t port = 0;
  {
    auto listener = listen_on_loopback();
    ASSERT_TRUE(listener);
    port = listener->port;
  }
  EXPECT_FALSE(Gate::shut(port));
}

bool was_closed(const process::UniqueFd& client) {
  char byte = 0;
  return ::recv(client.get(), &byte, 1, MSG_DONTWAIT) == 0;
}

// poll() takes no more entries than there may be descriptors. They have said something, without
// which they would not be accepted yet; but not greeted.
TEST(Proxy, KeepsAQuarterOfItsDescriptorsForTheSilent) {
  const unit::FilesLimit limit(1024);
  ASSERT_TRUE(limit.is_set());
  auto library = listen_on_loopback();
  auto listener = listen_on_loopback();
  ASSERT_TRUE(library && listener);
  auto gate = Gate::shut(library->port);
  if (!gate) GTEST_SKIP() << gate.error().what << "; " << gate.error().hint;
  constexpr std::size_t kCallers = 600;
  std::vector<process::UniqueFd> clients;
  clients.reserve(kCallers);
  for (std::size_t i = 0; i < kCallers; ++i) {
    clients.push_back(connected(listener->port, 5000));
    ASSERT_TRUE(clients.back());
    ASSERT_EQ(::send(clients.back().get(), "x", 1, 0), 1);
  }
  Proxy proxy(std::move(listener->socket), *gate);
  std::vector<pollfd> entries;
  do {
    entries.clear();
    proxy.wanted(entries);
    ASSERT_GE(::poll(entries.data(), entries.size(), 0), 0);
    ASSERT_TRUE(proxy.served(entries.data()));
  } while (entries.front().revents != 0);
  EXPECT_EQ(entries.size(), 1U + 256U);
  EXPECT_TRUE(was_closed(clients.front()));
  EXPECT_TRUE(was_closed(clients[kCallers - 257]));
  EXPECT_FALSE(was_closed(clients[kCallers - 256]));
  EXPECT_FALSE(was_closed(clients.back()));
}

std::string header(std::uint32_t length) {
  std::string bytes(16, '\0');
  std::memcpy(bytes.data() + 8, &length, sizeof length);
  return bytes;
}

// Ranks of one moment, more than may be silent.
TEST(Proxy, NobodyWhoHasGreetedMakesRoom) {
  auto library = listen_on_loopback();
  auto listener = listen_on_loopback();
  ASSERT_TRUE(library && listener);
  auto gate = Gate::shut(library->port);
  if (!gate) GTEST_SKIP() << gate.error().what << "; " << gate.error().hint;
  std::optional<Proxy> proxy;
  {
    const unit::FilesLimit limit(128);  // 32 may be silent
    ASSERT_TRUE(limit.is_set());
    proxy.emplace(std::move(listener->socket), *gate);
  }
  std::vector<process::UniqueFd> clients(50);
  for (process::UniqueFd& client : clients) {
    client = connected(listener->port, 5000);
    ASSERT_TRUE(client);
    ASSERT_EQ(::send(client.get(), header(0).data(), header(0).size(), 0), 16);
  }
  std::vector<pollfd> entries;
  for (proxy->wanted(entries); entries.size() < 1 + 2 * clients.size(); proxy->wanted(entries)) {
    ASSERT_GT(::poll(entries.data(), entries.size(), 60'000), 0) << "not all have come through";
    ASSERT_TRUE(proxy->served(entries.data()));
    entries.clear();
  }
  for (const process::UniqueFd& client : clients) EXPECT_FALSE(was_closed(client));
}

TEST(GreetingSize, IsKnownFromTheHeader) {
  EXPECT_EQ(greeting_size(""), 0u);
  EXPECT_EQ(greeting_size(header(100).substr(0, 15)), 0u);
  EXPECT_EQ(greeting_size(header(100)), 116u);
  EXPECT_EQ(greeting_size(header(128u << 10)), 16u + (128u << 10));
  EXPECT_EQ(greeting_size(header((128u << 10) + 1)), std::nullopt);
  EXPECT_EQ(greeting_size(std::string(64, '\xff')), std::nullopt);
}

}  // namespace
}  // namespace muster::pmix
