// How many cores this process may really use.
#include <algorithm>
#include <cerrno>
#include <memory>
#include <sched.h>

#include "probe/cpu_quota.hpp"
#include "probe/probe.hpp"
#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

constexpr int kFirstSize = 1024;  // cores; what a cpu_set_t holds
constexpr int kLastSize = 1 << 20;

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// The kernel refuses a set that is smaller than its own: ask again with a larger one.
[[nodiscard]] std::uint32_t affinity() {
  for (int size = kFirstSize; size <= kLastSize; size *= 2) {
    const std::unique_ptr<cpu_set_t, FreeCpuSet> set(CPU_ALLOC(static_cast<std::size_t>(size)));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(size));
    if (!set) return 1;
    if (::sched_getaffinity(0, bytes, set.get()) == 0) {
      return static_cast<std::uint32_t>(std::max(1, CPU_COUNT_S(bytes, set.get())));
    }
    if (errno != EINVAL) return 1;
  }
  return 1;
}

model::Cpus count_cpus() {
  const std::uint32_t allowed = affinity();
  const auto quota = cpu_quota(read_text("/proc/self/cgroup"), "/sys/fs/cgroup");
  if (quota && *quota < allowed) return {*quota, true};
  return {allowed, false};
}

}  // namespace

// Looked up once: the planner, the greeting and the wire-up all ask while a job starts.
model::Cpus cpus() {
  static const model::Cpus found = count_cpus();
  return found;
}

}  // namespace muster::probe
