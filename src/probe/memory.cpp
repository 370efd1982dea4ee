// Reads counters of control groups: cgroup-v2.rst and cgroup-v1/memory.rst of the kernel.
#include "probe/memory.hpp"

#include <charconv>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "probe/text_file.hpp"
#include "process/control_group.hpp"

namespace muster::probe {
namespace {

using Group = model::MemoryCounters::Group;

// "max" is no number here.
std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// Of the line "NAME NUMBER".
std::optional<std::uint64_t> number_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(' ')) {
      return leading_number(line.substr(name.size() + 1));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

std::optional<Group> version_2_counts(const std::string& folder) {
  const std::string events = read_text(folder + "/memory.events");
  const auto killed = number_of(events, "oom_kill");
  if (!killed) return std::nullopt;
  return Group{folder, number_of(events, "oom").value_or(0), *killed};
}

std::optional<Group> version_1_counts(const std::string& folder) {
  const auto killed = number_of(read_text(folder + "/memory.oom_control"), "oom_kill");
  if (!killed) return std::nullopt;
  return Group{folder, leading_number(read_text(folder + "/memory.failcnt")).value_or(0), *killed};
}

}  // namespace

model::MemoryCounters memory_counters() {
  return memory_counters(read_text("/proc/self/cgroup"), "/sys/fs/cgroup", "/proc/vmstat");
}

model::MemoryCounters memory_counters(std::string_view membership, const std::string& mounts,
                                      const std::string& vmstat) {
  model::MemoryCounters counters;
  for (const std::string& folder : process::group_folders(membership, "memory", mounts)) {
    auto counts = version_2_counts(folder);
    if (!counts) counts = version_1_counts(folder);
    if (counts) counters.groups.push_back(std::move(*counts));
  }
  if (counters.groups.empty()) counters.killed = number_of(read_text(vmstat), "oom_kill");
  return counters;
}

std::uint64_t memory_limit(const std::string& folder) {
  // Version 1 writes "no limit" as the largest number of whole pages.
  constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 62U;
  auto limit = leading_number(read_text(folder + "/memory.max"));
  if (!limit) limit = leading_number(read_text(folder + "/memory.limit_in_bytes"));
  return limit && *limit < kNoLimit ? *limit : 0;
}

std::optional<model::SharedMemory> shared_memory(const char* folder) {
  struct stat own {};
  struct stat above {};
  struct statvfs system {};
  const std::string parent = std::string(folder) + "/..";
  if (::stat(folder, &own) != 0 || ::stat(parent.c_str(), &above) != 0 ||
      own.st_dev == above.st_dev || ::statvfs(folder, &system) != 0) {
    return std::nullopt;
  }
  return model::SharedMemory{system.f_blocks * system.f_frsize, system.f_bavail * system.f_frsize,
                             (system.f_flag & ST_RDONLY) != 0};
}

}  // namespace muster::probe
