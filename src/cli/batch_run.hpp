// Jobs that go to the queue of a batch system: handed over, then followed.
#pragma once

#include "cli/cli.hpp"
#include "front/front.hpp"
#include "model/record.hpp"

namespace muster::cli {

// In the environment of the job's script: the folder of the record whose run it is.
inline constexpr const char* kQueuedRecord = "MUSTER_QUEUED_RECORD";
// Of a pipeline that is run again: the earlier record, the step that is meant, and what shall not
// be taken from there ("code checkpoints").
inline constexpr const char* kQueuedEarlier = "MUSTER_QUEUED_EARLIER";
inline constexpr const char* kQueuedStep = "MUSTER_QUEUED_STEP";
inline constexpr const char* kQueuedFresh = "MUSTER_QUEUED_FRESH";
// Set: outputs may take the place of the user's files.
inline constexpr const char* kQueuedForce = "MUSTER_QUEUED_FORCE";
// How hosts are reached, where a rerun says so: options and their values, as words of a shell.
inline constexpr const char* kQueuedReach = "MUSTER_QUEUED_REACH";

// Of a reading with a batch request: makes the record, hands the job over, and follows it to its
// end unless it is detached. Returns the exit code.
[[nodiscard]] int run_in_queue(const front::Reading& reading, const model::TypedCommand& asked,
                               const Invocation& invocation);

// Prints the script.
[[nodiscard]] int show_script(const front::Reading& reading);

// Asks the system whether it would take the job, and prints its answer.
[[nodiscard]] int check_batch_target(const front::Reading& reading, const Invocation& invocation);

}  // namespace muster::cli
