// AllocationEnd: when the Slurm job around is to end.
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/question.hpp"

namespace muster::head {

// Slurm before 23.02 does not set SLURM_JOB_END_TIME. Adds it, for ranks that start too soon for an
// answer that comes beside them: squeue has a quarter of a second for it. Not if the user has said
// when the job ends.
// False: nobody has answered, so it may be asked once more.
[[nodiscard]] bool add_allocation_end(std::vector<std::string>& environment, bool has_limit);

class AllocationEnd {
 public:
  explicit AllocationEnd(asio::io_context& loop) : squeue_(loop) {}

  // From SLURM_JOB_END_TIME at once, else squeue is asked once, beside the start, unless the user
  // has said when the job ends. Seconds since 1970; without an answer `told` is not called.
  void ask(const std::vector<std::string>& environment, bool has_limit,
           const std::function<void(std::int64_t)>& told);

 private:
  process::Question squeue_;
};

}  // namespace muster::head
