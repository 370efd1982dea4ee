// mini_batches: a job that cuts data into small batches, as a command that does so.
#pragma once

#include <string_view>

#include "job/complaints.hpp"
#include "job/job_file.hpp"

namespace muster::job {

// Gives a job with `parallel` a command, a layout and variables: each of its processes runs the
// entry script, and asks rank 0 for batches. The program that does so is mini_batches.py. Complains
// of partition keys where the data are files, which have no columns.
void write_out_parallel(JobFile& job, Complaints& complaints);

// The program comes as a variable: it is long, and would hide the command in every list of
// processes.
inline constexpr std::string_view kMiniBatchesProgram = "MUSTER_MINI_BATCHES";
// Rank 0 listens at a port: a word that only the ranks of this job know, new for each run. Whoever
// starts one with that program sets it.
inline constexpr std::string_view kMiniBatchesSecret = "MUSTER_MINI_BATCHES_SECRET";

// The text of mini_batches.py, which the build embeds.
extern const std::string_view kMiniBatches;

}  // namespace muster::job
