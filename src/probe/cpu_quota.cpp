// Reads a process's control groups upwards, in version 2 (cpu.max) and version 1 (cpu.cfs_*).
#include "probe/cpu_quota.hpp"

#include <algorithm>
#include <charconv>

#include "probe/text_file.hpp"
#include "process/control_group.hpp"

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

}  // namespace

// A group's quota also binds the groups below it.
Cores cpu_quota(std::string_view membership, const std::string& mounts) {
  Cores found;
  for (const std::string& folder : process::group_folders(membership, "cpu", mounts)) {
    found = smaller(found, smaller(version_2(folder), version_1(folder)));
  }
  return found;
}

}  // namespace muster::probe
