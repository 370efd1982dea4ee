// Variables that muster gave to a rank and that have outlived its run: a rank hands them on to a
// batch job, to a daemon, or to a file of variables that somebody reads later.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

// Removes those whose socket or folder is not there any more, or is not this user's, and with the
// folder of launchers whatever else speaks to launchers of that run; and MLFLOW_TRACKING_URI where
// it names the folder of metrics in the record of a run that is over, or has gone.
// MUSTER_ENVIRONMENT and MUSTER_CPUS stay only where something shows that the run is under way, and
// the former only if it names a folder to which nobody else can write. All but the metrics go, too,
// where the run is under way, but this process is in a batch job that the rank was not in. Returns
// what is to be told of that where a job is to start: of a folder of metrics or packages, only
// where somebody may have named it on purpose, as nothing else that muster gave is there.
std::vector<std::string> drop_left_variables(std::vector<std::string>& environment);

// The folder of the record where MLFLOW_TRACKING_URI keeps its metrics, if muster gave it to a run
// on this machine.
[[nodiscard]] std::optional<std::string> record_with_metrics(
    const std::vector<std::string>& environment);

}  // namespace muster::cli
