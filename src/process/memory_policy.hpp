// The kernel's memory policies: set_mempolicy(2). Children inherit them, and exec keeps them.
#pragma once

#include <cstdint>
#include <span>

#include "model/memory_policy.hpp"

namespace muster::process {

// Sets that of the calling thread; false with errno: ENOSYS (a kernel without NUMA), EPERM (a
// container's rules), EINVAL (no such nodes). `nodes`: a bit for each, low first. Allocates nothing
// and may be called between vfork and exec.
[[nodiscard]] bool set_memory_policy(model::MemoryMode mode, std::span<const std::uint64_t> nodes);

// Whether the kernel would take it from this process, which keeps its own: 0, or errno as above.
[[nodiscard]] int try_memory_policy(const model::MemoryPolicy& policy);

}  // namespace muster::process
