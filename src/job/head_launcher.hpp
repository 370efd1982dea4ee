// head_launcher: the launcher in a job's command that starts all ranks from one place. Pure.
#pragma once

#include <string>

#include "job/job_file.hpp"

namespace muster::job {

// "mpirun" for "cd run && NCCL_DEBUG=INFO mpirun -np 4 x"; empty when the command names none.
[[nodiscard]] std::string head_launcher(const JobFile& job);

}  // namespace muster::job
