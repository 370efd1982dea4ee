// Runs that a scheduler carries out: what it knows of them, their output, and their end.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "cluster/kubectl.hpp"
#include "front/request.hpp"
#include "model/record.hpp"

namespace muster::cli {

[[nodiscard]] inline bool is_scheduled(const model::RunRecord& record) {
  return !record.scheduler.kind.empty();
}

// Its scheduler may know more than the record.
[[nodiscard]] bool is_open_at_scheduler(const model::RunRecord& record);

[[nodiscard]] cluster::Kubectl kubectl_of(const model::RunRecord& record,
                                          const std::vector<std::string>& environment);

// What keeps the pods of a run from beginning, and since when it waits for them: "... (waiting
// since 2026-11-23 22:40 UTC)".
[[nodiscard]] std::string wait_line(const model::RunRecord& record, const std::string& wait);

// The record as its scheduler completes it now. One that has ended is finished, with the launcher's
// output beside it. Where nobody answers, `cause` says so, and the state stays.
[[nodiscard]] model::RunRecord asked_for(model::RunRecord record, const Invocation& invocation);

// The same of many at once: each cluster is asked one time for all that have not ended.
void ask_for_all(std::vector<model::RunRecord>& records, const Invocation& invocation);

// Its output here, as it comes, until it ends; Ctrl-C stops it. `tags`: each line with its rank.
// Returns its exit code.
[[nodiscard]] int accompany(const model::RunRecord& record, bool tags,
                            const Invocation& invocation);

// `muster logs`, `muster wait` and `muster stop` of such a run.
[[nodiscard]] int scheduled_logs(const model::RunRecord& record,
                                 const front::RecordRequest& request, const Invocation& invocation);
[[nodiscard]] model::RunRecord await_end(model::RunRecord record, const Invocation& invocation);
[[nodiscard]] base::Result<void> stop_scheduled(const model::RunRecord& record,
                                                const Invocation& invocation);
// After that, until the run and all its pods have ended. Fails where a pod stays, and says why.
[[nodiscard]] base::Result<model::RunRecord> await_stopped(const model::RunRecord& record,
                                                           const Invocation& invocation);

// All that is left of it there.
[[nodiscard]] base::Result<void> remove_scheduled(const model::RunRecord& record,
                                                  const Invocation& invocation);

}  // namespace muster::cli
