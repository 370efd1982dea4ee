// A record that is there before its head: of a run that was queued, or is queued again.
#pragma once

#include <string>

#include "process/unique_fd.hpp"

namespace muster::store {

// Files that belong to the job in the queue, whichever head begins: its script, and what the batch
// system adds to.
inline constexpr const char* kJobScript = "job.sh";
inline constexpr const char* kJobOutput = "job.out";
inline constexpr const char* kJobErrors = "job.err";

// There once somebody wants the head to end the run, and cannot tell it otherwise.
inline constexpr const char* kJobStop = "job.stop";
// There once the batch system has said that the job is over: it will not begin again.
inline constexpr const char* kJobOver = "job.over";

// Whoever changes the record from without holds its lock for that moment.
inline constexpr const char* kJobLock = "job.lock";

// Returns once no head writes to the record in `folder`, with its lock: others wait until that
// goes. None: there is no such record.
[[nodiscard]] process::UniqueFd wait_for_turn(const std::string& folder);

// Moves what lies in `fresh` to the record in `folder`, whose turn has been waited for; the events
// come last. What an earlier head has left, but for checkpoints, is set aside in attempt.1 and so
// on. False, with errno, where that cannot be done.
[[nodiscard]] bool take_record_over(const std::string& fresh, const std::string& folder);

// The same of a folder that the run's own ranks may be making just now, who are as fast: nothing
// but their folder `early` may lie there, and stays. EEXIST: something else does. The folder is not
// replaced by another one, since a rank may be in it.
[[nodiscard]] bool add_to_early(const std::string& fresh, const std::string& folder,
                                const std::string& early);

}  // namespace muster::store
