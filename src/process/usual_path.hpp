// kUsualPath: where programs are looked up while PATH is not set, as in the tasks of a Slurm job
// that asked for --export=NONE.
#pragma once

namespace muster::process {

inline constexpr const char* kUsualPath = "/usr/local/bin:/usr/bin:/bin";

}  // namespace muster::process
