// Detached runs: messages between the foreground process and the one that continues in the
// background.
#pragma once

#include <functional>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "model/record.hpp"

namespace muster::cli {

// Calls `run` in a process of its own, and returns 0 once it has called tell_running(), with the
// run's name on stdout, as JSON if that is wanted. Errors are printed as usual; if the run ended
// before that, returns its exit code and prints its report.
[[nodiscard]] int run_detached(const std::function<int(const Invocation&)>& run, bool json,
                               const Invocation& invocation);

// Of a run that goes on without us: its name on stdout, as JSON if that is wanted; at a terminal
// what a person may type next as well. Returns as print() does.
[[nodiscard]] int tell_begun(const model::RunRecord& record, bool json);

// Of a run that has begun and whose end we wait for: to a person at a terminal where its record is,
// and what to type to follow it, look at it and stop it. To nobody else; a step of a pipeline and
// the process behind a detached run say nothing.
void tell_watched(const model::RunRecord& record, const Invocation& invocation);

// In the background process: its record exists, and holds what it prints from now on.
[[nodiscard]] base::Result<void> go_on_unseen(int pipe, const model::RunRecord& record);
void tell_running(int pipe);

}  // namespace muster::cli
