// Runs whose head is started by a batch system: where they are in its queue, what they print, and
// how they end when no head has told it.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "front/request.hpp"
#include "model/record.hpp"

namespace muster::cli {

[[nodiscard]] bool is_queued_run(const model::RunRecord& record);

// From its acceptance to its end, with all that its head prints. Ctrl-C stops the run; once more
// leaves it to itself. Returns its exit code.
[[nodiscard]] int follow_queued(const model::RunRecord& record, const Invocation& invocation);

// What the functions of cli/scheduled.hpp do, for such a record.
[[nodiscard]] model::RunRecord queued_now(model::RunRecord record, const Invocation& invocation);
void ask_queues(std::vector<model::RunRecord*>& records, const Invocation& invocation);
[[nodiscard]] int queued_logs(const model::RunRecord& record, const front::RecordRequest& request,
                              const Invocation& invocation);
[[nodiscard]] model::RunRecord await_queued(model::RunRecord record, const Invocation& invocation);
[[nodiscard]] base::Result<void> stop_queued(const model::RunRecord& record,
                                             const Invocation& invocation);
[[nodiscard]] base::Result<model::RunRecord> await_stopped_queued(const model::RunRecord& record,
                                                                  const Invocation& invocation);

// For its head, where that has ended with `code` and said nothing in the record.
void finish_unbegun(const std::string& folder, int code);

}  // namespace muster::cli
