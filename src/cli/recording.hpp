// Recording: whether a run is put on record, what its record holds, and who hears of it.
#pragma once

#include <memory>

#include "base/error.hpp"
#include "cli/cli.hpp"
#include "cli/prospect.hpp"
#include "front/request.hpp"
#include "head/head.hpp"
#include "head/recorder.hpp"
#include "model/plan.hpp"

namespace muster::cli {

// Null: no record is to be kept, or its folder is unknown. `spec` and `plan` are copied. `inner`:
// what a launcher in the command will start; null if that is not known.
[[nodiscard]] std::unique_ptr<head::Recorder> recorder_of(const front::RunRequest& request,
                                                          const model::JobSpec& spec,
                                                          const model::Plan& plan,
                                                          const model::Plan* inner,
                                                          const Invocation& invocation);

// After a run's end: says what of its record could not be written. Returns an exit code for a run
// that ended well, or 0.
[[nodiscard]] int check_record(const head::Recorder& recorder);

// Makes a record that was asked for, before anything starts: from then on each rank's output goes
// there, too, and all that a detached run prints.
[[nodiscard]] base::Result<void> begin_recording(head::Recorder& recorder, model::JobSpec& spec,
                                                 const model::Plan& plan,
                                                 const Invocation& invocation);

// The reason of such a variable in an environment.
inline constexpr std::string_view kOfMlflow = "MLflow";

// Where MLflow writes on this machine: in the run's record, unless somebody has said; where a rank
// has started this, in the record of that rank's run. Files that ranks on other hosts write would
// stay there, so these are told of neither. Returns whether any rank
// is told. A job has said by itself where its ranks log.
[[nodiscard]] bool log_to_record(const front::RunRequest& request,
                                 const std::vector<std::string>& environment, Prospect& job);

// There is no such record: MLflow's files cannot lie there.
void keep_out_of(const std::string& record, plan::Kept& kept);

}  // namespace muster::cli
