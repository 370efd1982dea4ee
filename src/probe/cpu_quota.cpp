// Walks a process's control groups upwards, in version 2 (cpu.max) and version 1 (cpu.cfs_*).
#include "probe/cpu_quota.hpp"

#include <algorithm>
#include <charconv>

#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

using Cores = std::optional<std::uint32_t>;

[[nodiscard]] Cores smaller(Cores a, Cores b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// "max" and "-1", which mean "no quota", are no numbers here.
[[nodiscard]] std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value == 0) return std::nullopt;
  return value;
}

[[nodiscard]] Cores cores(std::string_view quota, std::string_view period) {
  const auto part = number(quota);
  const auto whole = number(period);
  if (!part || !whole) return std::nullopt;
  return static_cast<std::uint32_t>((*part + *whole - 1) / *whole);
}

// cpu.max holds "QUOTA PERIOD".
[[nodiscard]] Cores version_2(const std::string& folder) {
  const std::string text = read_text(folder + "/cpu.max");
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return std::nullopt;
  return cores(std::string_view(text).substr(0, space), std::string_view(text).substr(space + 1));
}

[[nodiscard]] Cores version_1(const std::string& folder) {
  const std::string quota = read_text(folder + "/cpu.cfs_quota_us");
  if (!number(quota)) return std::nullopt;
  return cores(quota, read_text(folder + "/cpu.cfs_period_us"));
}

// A group's quota also binds the groups below it. A container may show the path of its group on the
// host, which does not exist inside: the walk then ends at the mount, which is the container's own.
template <class Version>
[[nodiscard]] Cores smallest_up_from(const std::string& mount, std::string_view group,
                                     Version quota_of) {
  Cores found = quota_of(mount);
  for (std::string path(group); path.size() > 1; path.resize(path.rfind('/'))) {
    found = smaller(found, quota_of(mount + path));
  }
  return found;
}

[[nodiscard]] bool lists_cpu(std::string_view controllers) {
  return ("," + std::string(controllers) + ",").find(",cpu,") != std::string::npos;
}

// One line of /proc/PID/cgroup: "hierarchy:controllers:path".
[[nodiscard]] Cores line_quota(std::string_view line, const std::string& mounts) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first == std::string_view::npos ? first : first + 1);
  if (second == std::string_view::npos || line.substr(second + 1, 1) != "/") return std::nullopt;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string_view group = line.substr(second + 1);
  if (controllers.empty()) return smallest_up_from(mounts, group, version_2);
  if (!lists_cpu(controllers)) return std::nullopt;
  return smallest_up_from(mounts + "/cpu", group, version_1);
}

}  // namespace

Cores cpu_quota(std::string_view membership, const std::string& mounts) {
  Cores found;
  while (!membership.empty()) {
    const std::size_t end = std::min(membership.find('\n'), membership.size());
    found = smaller(found, line_quota(membership.substr(0, end), mounts));
    membership.remove_prefix(std::min(end + 1, membership.size()));
  }
  return found;
}

}  // namespace muster::probe
