// Reads the kernel's tables, proc_net_tcp(5), line by line: on a busy host they are long.
#include "probe/port_users.hpp"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "probe/family.hpp"

namespace muster::probe {
namespace {

template <class Number>
Number from_digits(std::string_view text, int base) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

// "0100007F:1F90"
std::uint16_t port_in(const std::string& end) {
  return from_digits<std::uint16_t>(std::string_view(end).substr(end.find(':') + 1), 16);
}

// Those that are not open any more have no inode.
void add_user(const std::string& line, const std::set<std::uint16_t>& ports,
              std::map<std::uint64_t, std::uint16_t>& users) {
  constexpr std::string_view kListens = "0A";
  std::istringstream words(line);
  std::string number, here, there, state, other, inode;
  words >> number >> here >> there >> state;
  const std::uint16_t port = port_in(state == kListens ? here : there);
  if (!ports.contains(port)) return;
  constexpr int kBetween = 5;  // queues, timer, retransmits, user, timeout
  for (int i = 0; i < kBetween; ++i) words >> other;
  words >> inode;
  const auto known = from_digits<std::uint64_t>(inode, 10);
  if (known != 0) users[known] = port;
}

}  // namespace

std::map<std::uint64_t, std::uint16_t> port_users(const std::string& root,
                                                  const std::set<std::uint16_t>& ports) {
  std::map<std::uint64_t, std::uint16_t> users;
  for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream file(root + table);
    std::string line;
    std::getline(file, line);  // the heading
    while (std::getline(file, line)) add_user(line, ports, users);
  }
  return users;
}

std::set<std::uint64_t> sockets_of(const std::string& root, pid_t task) {
  constexpr std::string_view kSocket = "socket:[";
  std::set<std::uint64_t> sockets;
  for (const pid_t pid : family(root, task)) {
    std::error_code error;
    std::filesystem::directory_iterator entry(fmt::format("{}/proc/{}/fd", root, pid), error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      std::error_code gone;
      const std::string target = std::filesystem::read_symlink(entry->path(), gone).string();
      if (!target.starts_with(kSocket)) continue;
      sockets.insert(
          from_digits<std::uint64_t>(std::string_view(target).substr(kSocket.size()), 10));
    }
  }
  return sockets;
}

}  // namespace muster::probe
