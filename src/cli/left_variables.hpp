// Variables that muster gave to a rank and that have outlived its run: a rank hands them on to a
// batch job, to a daemon, or to a file of variables that somebody reads later.
#pragma once

#include <string>
#include <vector>

namespace muster::cli {

// Removes those whose socket or folder is not there any more, or is not this user's, and with the
// folder of launchers whatever else speaks to launchers of that run; and MLFLOW_TRACKING_URI where
// it names the folder of metrics in the record of a run that is over, or has gone. Returns that
// folder where somebody may have named it on purpose: nothing else that muster gave is there.
std::string drop_left_variables(std::vector<std::string>& environment);

// Notes that this one is not obeyed; nothing of an empty one.
void tell_left_metrics(const std::string& uri);

}  // namespace muster::cli
