// What a rank's failure means for the others, and for the launcher's exit code. Plain values.
#pragma once

#include <cstdint>

namespace muster::model {

// Whatever the rule, a rank that keeps others waiting for ever ends the job.
enum class OnFailure : std::uint8_t {
  abort,          // the others are ended
  outlive_codes,  // they go on after an exit code that is not 0, and are ended after a signal
  outlive_all,    // they go on
};

// Whose rules the exit code follows; for `rank_failed`, and then in brief for all else.
enum class ExitStyle : std::uint8_t {
  muster,    // the first one's code or 128 + signal, or a higher one that others outlived; 240..248
  open_mpi,  // the same; 110 for a time limit, 134 for what cannot be started, else 1
  hydra,     // all codes and signals, OR-ed; 255, or the signal that muster got
  torch,     // always 1
};

struct FailureRule {
  OnFailure others = OnFailure::abort;
  ExitStyle code = ExitStyle::muster;
  bool needs_finalize = true;  // a rank that leaves the MPI world without MPI_Finalize has failed
  bool operator==(const FailureRule&) const = default;
};

}  // namespace muster::model
