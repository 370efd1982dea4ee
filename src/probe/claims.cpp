// Names of sockets, and whose they are.
#include "probe/claims.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <dirent.h>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "base/words.hpp"
#include "probe/device_names.hpp"
#include "probe/socket_owners.hpp"
#include "probe/text_file.hpp"
#include "process/descendants.hpp"

namespace muster::probe {
namespace {

using model::CpuSet;
using model::Devices;
using process::UniqueFd;

constexpr std::string_view kStem = "muster-";
constexpr std::string_view kKinds[] = {"@muster-cpu-", "@muster-device-"};

template <class Number>
std::optional<Number> claim_number(std::string_view text) {
  Number value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop == text.data()) return std::nullopt;
  return value;
}

// Of a line of /proc/net/unix; names may hold blanks, and anything else.
struct NamedSocket {
  std::string_view inode;
  std::string_view name;  // with its '@'
};

NamedSocket read_socket(std::string_view line) {
  constexpr int kInode = 6;  // which word it is, from 0 on
  NamedSocket socket;
  for (int word = 0; word <= kInode; ++word) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::size_t end = std::min(line.find(' '), line.size());
    socket.inode = line.substr(0, end);
    line.remove_prefix(end);
  }
  socket.name = line.substr(std::min<std::size_t>(line.size(), 1));
  return socket;
}

struct CloseFdFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

// Links read "socket:[4711]". Nothing of a process that is not ours to look at.
void add_sockets_of(pid_t pid, std::set<std::uint64_t>& inodes) {
  const std::string path = fmt::format("/proc/{}/fd", pid);
  const std::unique_ptr<DIR, CloseFdFolder> folder(::opendir(path.c_str()));
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder.get())) {
    char target[64];
    const ssize_t size = ::readlinkat(::dirfd(folder.get()), entry->d_name, target, sizeof(target));
    const std::string_view link(target, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    constexpr std::string_view kSocket = "socket:[";
    if (!link.starts_with(kSocket)) continue;
    if (const auto inode = claim_number<std::uint64_t>(link.substr(kSocket.size()))) {
      inodes.insert(*inode);
    }
  }
}

std::set<std::uint64_t> sockets_of_ancestors() {
  std::set<std::uint64_t> inodes;
  for (const pid_t pid : process::ancestors()) add_sockets_of(pid, inodes);
  return inodes;
}

// The socket of that abstract name; without one when it is taken or cannot be had, as errno tells.
UniqueFd bind_name(const std::string& name) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(),
              std::min(name.size(), sizeof(address.sun_path) - 1));
  const void* const any = &address;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (socket && ::bind(socket.get(), static_cast<const sockaddr*>(any), size) != 0) socket.reset();
  return socket;
}

std::string cpu_claim(std::uint32_t cpu) { return fmt::format("cpu-{}", cpu); }

std::vector<std::string> things_of(const Claimed& wanted, const std::string& listing) {
  std::vector<std::string> things;
  for (const std::uint32_t cpu : wanted.cpus.list()) things.push_back(cpu_claim(cpu));
  if (wanted.devices.empty()) return things;
  const DeviceNames known("", listing);
  for (const Devices& one : wanted.devices) {
    for (const std::string& id : one.ids) things.push_back(known.claim_of(one.variable, id));
  }
  return things;
}

}  // namespace

// Lines "0000000000000000: 00000002 00000000 00000000 0002 01 4711 @name".
ClaimNames::ClaimNames(std::string_view names, std::set<std::uint64_t> inherited)
    : inherited_(std::move(inherited)) {
  for (const std::string& line : base::split(names, "\n")) {
    const NamedSocket socket = read_socket(line);
    const bool is_claim = std::ranges::any_of(
        kKinds, [&](std::string_view kind) { return socket.name.starts_with(kind); });
    const auto inode = is_claim ? claim_number<std::uint64_t>(socket.inode) : std::nullopt;
    if (inode) inodes_.emplace(socket.name.substr(1), *inode);
  }
}

ClaimNames ClaimNames::of_this_process() {
  const std::string names = read_text("/proc/net/unix");
  const bool any = std::ranges::any_of(
      kKinds, [&](std::string_view kind) { return names.find(kind) != std::string::npos; });
  return {names, any ? sockets_of_ancestors() : std::set<std::uint64_t>()};
}

std::string ClaimNames::name_of(std::string_view thing) const {
  std::string name = fmt::format("{}{}", kStem, thing);
  std::set<std::uint64_t> holders;  // anybody may choose a name that leads in a circle
  for (auto found = inodes_.find(name);
       found != inodes_.end() && inherited_.contains(found->second) &&
       holders.insert(found->second).second;
       found = inodes_.find(name)) {
    name = fmt::format("{}{}-of-{}", kStem, thing, found->second);
  }
  return name;
}

std::optional<std::uint64_t> ClaimNames::holder_of(std::string_view thing) const {
  const auto holder = [&](const std::string& name) {
    const auto found = inodes_.find(name);
    return found == inodes_.end() ? std::nullopt : std::optional(found->second);
  };
  if (const auto inode = holder(name_of(thing))) return inode;
  const std::size_t slash = thing.find('/');
  if (slash != std::string_view::npos) return holder(name_of(thing.substr(0, slash)));
  const std::string parts = fmt::format("{}{}/", kStem, thing);
  for (auto one = inodes_.lower_bound(parts); one != inodes_.end() && one->first.starts_with(parts);
       ++one) {
    if (!inherited_.contains(one->second)) return one->second;
  }
  return std::nullopt;
}

CpuSet claimed_by_others(const CpuSet& cpus) {
  const ClaimNames names = ClaimNames::of_this_process();
  CpuSet claimed;
  for (const std::uint32_t cpu : cpus.list()) {
    if (names.is_taken(cpu_claim(cpu))) claimed.add(cpu);
  }
  return claimed;
}

std::vector<Devices> claimed_by_others(std::span<const Devices> devices,
                                       const std::string& listing) {
  std::vector<Devices> claimed;
  if (devices.empty()) return claimed;
  const ClaimNames names = ClaimNames::of_this_process();
  const DeviceNames known("", listing);
  std::optional<std::map<std::uint64_t, std::uint32_t>> owners;
  for (const Devices& one : devices) {
    Devices others{one.variable, {}};
    std::set<std::uint32_t> users;
    for (const std::string& id : one.ids) {
      const auto holder = names.holder_of(known.claim_of(one.variable, id));
      if (!holder) continue;
      others.ids.push_back(id);
      if (!owners) owners = socket_owners();
      const auto owner = owners->find(*holder);
      if (owner != owners->end() && owner->second != ::geteuid()) users.insert(owner->second);
    }
    others.holders.assign(users.begin(), users.end());
    if (!others.ids.empty()) claimed.push_back(std::move(others));
  }
  return claimed;
}

// A part of the thing, or what it is a part of.
bool Claims::holds_of(std::string_view thing) const {
  const std::string_view whole = thing.substr(0, thing.find('/'));
  return std::ranges::any_of(held_, [&](const auto& one) {
    return std::string_view(one.first).substr(0, one.first.find('/')) == whole;
  });
}

bool Claims::claim(const Claimed& wanted, const std::string& listing) {
  std::map<std::string, UniqueFd, std::less<>> fresh;
  std::optional<ClaimNames> names;
  for (std::string& thing : things_of(wanted, listing)) {
    if (held_.contains(thing) || fresh.contains(thing)) continue;
    if (!names) names = ClaimNames::of_this_process();
    if (names->is_taken(thing) && !holds_of(thing)) return false;
    UniqueFd socket = bind_name(names->name_of(thing));
    if (!socket && errno == EADDRINUSE) return false;
    if (socket) fresh.emplace(std::move(thing), std::move(socket));
  }
  held_.merge(fresh);
  return true;
}

}  // namespace muster::probe
