// Ports: chosen from the right range, claimed by one job only, and free for the ranks.
#include <array>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <set>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "probe/port_range.hpp"
#include "probe/probe.hpp"
#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

using process::UniqueFd;

[[nodiscard]] std::set<std::uint16_t> all_of(const PortRange& range) {
  std::set<std::uint16_t> ports;
  for (std::uint32_t i = 0; i < range.size(); ++i) ports.insert(range.at(i));
  return ports;
}

TEST(PortRange, IsAllAbove10000ButTheKernels) {
  const PortRange range("32768\t60999\n");
  const auto ports = all_of(range);
  EXPECT_EQ(ports.size(), range.size());
  EXPECT_EQ(range.size(), (32'768u - 10'001u) + (65'536u - 61'000u));
  EXPECT_EQ(*ports.begin(), 10'001);
  EXPECT_EQ(*ports.rbegin(), 65'535);
  EXPECT_TRUE(ports.contains(32'767) && ports.contains(61'000));
  EXPECT_FALSE(ports.contains(32'768) || ports.contains(60'999));
}

TEST(PortRange, MayLieOnOneSide) {
  EXPECT_EQ(*all_of(PortRange("1024 30000")).begin(), 30'001);
  EXPECT_EQ(*all_of(PortRange("20000 65535")).rbegin(), 19'999);
  EXPECT_EQ(all_of(PortRange("1024 5000")).size(), 65'535u - 10'000u);
}

TEST(PortRange, IsEverythingWhenTheKernelLeavesNothing) {
  EXPECT_EQ(all_of(PortRange("1024 65535")).size(), 65'535u - 10'000u);
  EXPECT_EQ(*all_of(PortRange("1024 65535")).begin(), 10'001);
}

TEST(PortRange, IsTheKernelsDefaultWhenUnknown) {
  EXPECT_EQ(all_of(PortRange("")), all_of(PortRange("32768 60999")));
}

template <class SocketAddress>
[[nodiscard]] UniqueFd listen_on(SocketAddress address) {
  const void* const any = &address;
  const int family = static_cast<const sockaddr*>(any)->sa_family;
  UniqueFd fd(::socket(family, SOCK_STREAM, 0));
  if (::bind(fd.get(), static_cast<const sockaddr*>(any), sizeof address) != 0) return UniqueFd();
  return ::listen(fd.get(), 1) == 0 ? std::move(fd) : UniqueFd();
}

[[nodiscard]] UniqueFd listen_v4(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  return listen_on(address);
}

TEST(ClaimPort, GivesAPortThatARankCanListenOn) {
  const auto claim = claim_port();
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->claim);
  EXPECT_TRUE(
      all_of(PortRange(read_text("/proc/sys/net/ipv4/ip_local_port_range"))).contains(claim->port));
  EXPECT_TRUE(listen_v4(claim->port));
}

TEST(ClaimPort, GivesAPortThatARankCanListenOnOverIpv6) {
  const UniqueFd probe(::socket(AF_INET6, SOCK_STREAM, 0));
  if (!probe) GTEST_SKIP() << "no IPv6 here";
  const auto claim = claim_port();
  ASSERT_TRUE(claim);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(claim->port);
  EXPECT_TRUE(listen_on(address));
}

[[nodiscard]] bool binds(std::uint16_t port, bool reuse) {
  UniqueFd fd(::socket(AF_INET, SOCK_STREAM, 0));
  const int yes = reuse ? 1 : 0;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  const void* const any = &address;
  return ::bind(fd.get(), static_cast<const sockaddr*>(any), sizeof address) == 0 &&
         ::listen(fd.get(), 1) == 0;
}

TEST(HoldPort, LetsInOnlyWhoSharesAddresses) {
  const auto claim = claim_port();
  ASSERT_TRUE(claim);
  {
    const auto held = hold_port(claim->port);
    ASSERT_TRUE(held);
    EXPECT_FALSE(binds(claim->port, false));
    EXPECT_TRUE(binds(claim->port, true)) << "as torch's store does";
    EXPECT_TRUE(binds(claim->port, true)) << "and again, in another round";
  }
  EXPECT_TRUE(binds(claim->port, false));
}

TEST(HoldPort, SaysWhenSomebodyElseHasIt) {
  const auto claim = claim_port();
  ASSERT_TRUE(claim);
  const UniqueFd other = listen_v4(claim->port);
  ASSERT_TRUE(other);
  const auto held = hold_port(claim->port);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().fault, base::Fault::cannot_start);
}

TEST(ClaimPort, NeverGivesAPortTwiceWhileHeld) {
  std::vector<PortClaim> held;
  std::set<std::uint16_t> ports;
  for (int i = 0; i < 200; ++i) {
    auto claim = claim_port();
    ASSERT_TRUE(claim);
    ports.insert(claim->port);
    held.push_back(std::move(*claim));
  }
  EXPECT_EQ(ports.size(), held.size());
}

// A child that claims a port, reports it, and holds it until the parent closes `hold`.
[[noreturn]] void claim_and_hold(int report, int hold) {
  const auto claim = claim_port();
  const std::uint16_t port = claim ? claim->port : 0;
  bool ok = ::write(report, &port, sizeof port) == sizeof port;
  char nothing = 0;
  ok = ::read(hold, &nothing, 1) == 0 && ok;
  ::_exit(ok ? 0 : 1);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> fds{-1, -1};
    EXPECT_EQ(::pipe(fds.data()), 0);
    out = UniqueFd(fds[0]);
    in = UniqueFd(fds[1]);
  }
  UniqueFd out;
  UniqueFd in;
};

TEST(ClaimPort, GivesTwentyProcessesTwentyPorts) {
  constexpr std::size_t kProcesses = 20;
  Pipe report;
  Pipe hold;
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      hold.in.reset();
      claim_and_hold(report.in.get(), hold.out.get());
    }
    children.push_back(child);
  }
  report.in.reset();
  std::set<std::uint16_t> ports;
  std::uint16_t port = 0;
  for (std::size_t i = 0; i < kProcesses; ++i) {
    ASSERT_EQ(::read(report.out.get(), &port, sizeof port), ssize_t{sizeof port});
    ports.insert(port);
  }
  for (const std::uint16_t claimed : ports) EXPECT_TRUE(listen_v4(claimed)) << claimed;
  hold.in.reset();
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(ports.size(), kProcesses);
  EXPECT_FALSE(ports.contains(0));
}

// Of a network of its own, where few ports are left: so few names are soon held. What went wrong;
// 0: nothing.
[[nodiscard]] int claim_where_all_names_are_held() {
  constexpr int kNoNetwork = 77;
  if (::unshare(CLONE_NEWNET) != 0) return kNoNetwork;
  std::ofstream("/proc/sys/net/ipv4/ip_local_port_range") << "10101 65535";
  const PortRange range(read_text("/proc/sys/net/ipv4/ip_local_port_range"));
  if (range.size() != 100) return kNoNetwork;
  std::vector<UniqueFd> names;
  for (std::uint32_t i = 0; i < range.size(); ++i) {
    names.emplace_back(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = fmt::format("muster-port-{}", range.at(i));
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const void* const any = &address;
    if (::bind(names.back().get(), static_cast<const sockaddr*>(any), size) != 0) return 1;
  }
  const auto claim = claim_port();
  if (!claim) return 2;
  return listen_v4(claim->port) ? 0 : 3;
}

TEST(ClaimPort, NeedsNoNameWhereSomebodyHoldsThemAll) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(claim_where_all_names_are_held());
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no network of its own can be made here";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace muster::probe
