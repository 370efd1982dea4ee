// Variables that muster gave to a rank and that have outlived its run: a rank hands them on to a
// batch job, to a daemon, or to a file of variables that somebody reads later.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace muster::cli {

// Removes those whose socket or folder is not there any more, or is not this user's, and with the
// folder of launchers whatever else speaks to launchers of that run; and MLFLOW_TRACKING_URI where
// it names the folder of metrics in the record of a run that is over, or has gone. The former go,
// too, where the run is under way, but this process is in a batch job that the rank was not in:
// returned is what to tell of that.
std::optional<std::string> drop_left_variables(std::vector<std::string>& environment);

}  // namespace muster::cli
