// The cpus on which this process may run, apart from what its cgroup lets it use of them.
#pragma once

#include "model/cpu_set.hpp"

namespace muster::probe {

// Empty when the kernel does not say.
[[nodiscard]] model::CpuSet own_cpus();

// False, and nothing has changed, when the kernel refuses.
[[nodiscard]] bool run_on(const model::CpuSet& cpus);

}  // namespace muster::probe
