// StepPlace: which task of a Slurm step this muster is, where several tasks call muster, one on
// each of the step's hosts.
#pragma once

#include <cstdint>
#include <string>

namespace muster::model {

struct StepPlace {
  std::string step;        // "12.0": no other that runs now has that name in its cluster
  std::string first_host;  // that of task 0
  std::uint32_t tasks = 2;
  std::uint32_t number = 0;  // of this one
  // Task 0 has the terminal of `srun --pty`, mostly for a shell: it knows nothing of this one.
  bool is_beside_terminal = false;
  bool operator==(const StepPlace&) const = default;
};

}  // namespace muster::model
