// Runs whose jobs an operator of a cluster carries out: begun here, then known by its status.
#pragma once

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "front/front.hpp"
#include "model/record.hpp"

namespace muster::cli {

// Of a reading whose cluster request has `operated` objects: makes them, and waits for the end
// unless it is detached. Returns the exit code.
[[nodiscard]] int run_operated(const front::Reading& reading, const model::TypedCommand& asked,
                               const Invocation& invocation);

[[nodiscard]] bool is_operated(const model::RunRecord& record);

// What the functions of cli/scheduled.hpp do, for such a record.
[[nodiscard]] model::RunRecord operated_now(model::RunRecord record, const Invocation& invocation);
[[nodiscard]] int operated_logs(const model::RunRecord& record, const front::RecordRequest& request,
                                const Invocation& invocation);
[[nodiscard]] base::Result<void> stop_operated(const model::RunRecord& record,
                                               const Invocation& invocation);
[[nodiscard]] base::Result<void> remove_operated(const model::RunRecord& record,
                                                 const Invocation& invocation);

}  // namespace muster::cli
