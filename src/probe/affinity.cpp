// Reads and sets the affinity mask.
#include "probe/affinity.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <sys/syscall.h>
#include <unistd.h>

namespace muster::probe {
namespace {

constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
using Mask = std::array<unsigned long, model::kCpusMax / kWordBits>;

}  // namespace

// The kernel's own call takes any size that holds all of its cpus, where cpu_set_t ends at 1024.
model::CpuSet own_cpus() {
  Mask mask{};
  model::CpuSet cpus;
  const long bytes = ::syscall(SYS_sched_getaffinity, 0, sizeof mask, mask.data());
  for (std::uint32_t cpu = 0; cpu < static_cast<std::uint32_t>(std::max(0L, bytes)) * CHAR_BIT;
       ++cpu) {
    if ((mask[cpu / kWordBits] >> (cpu % kWordBits) & 1) != 0) cpus.add(cpu);
  }
  return cpus;
}

bool run_on(const model::CpuSet& cpus) {
  Mask mask{};
  for (const std::uint32_t cpu : cpus.list()) mask[cpu / kWordBits] |= 1UL << (cpu % kWordBits);
  return ::syscall(SYS_sched_setaffinity, 0, sizeof mask, mask.data()) == 0;
}

}  // namespace muster::probe
