// AllocationEnd: when the Slurm job around is to end.
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "head/question.hpp"

namespace muster::head {

// Pure: what `squeue -h -o %e` says, in local time ("2026-11-23T23:30:47"), as seconds since 1970;
// nothing: the job has no limit (NONE), or it is no time.
[[nodiscard]] std::optional<std::int64_t> read_local_time(std::string_view text);

class AllocationEnd {
 public:
  explicit AllocationEnd(asio::io_context& loop) : squeue_(loop) {}

  // From SLURM_JOB_END_TIME at once; Slurm before 23.02 does not set it, so squeue is asked once,
  // beside the start, unless the user has said when the job ends. Without an answer `told` is not
  // called.
  void ask(const std::vector<std::string>& environment, bool has_limit,
           const std::function<void(std::int64_t)>& told);

 private:
  Question squeue_;
};

}  // namespace muster::head
