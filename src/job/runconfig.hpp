// from_runconfig: run configurations that Azure ML's SDK v1 has saved, as job files of muster's
// own. Pure.
#pragma once

#include <string>

#include "job/complaints.hpp"
#include "job/node.hpp"

namespace muster::job {

// What RunConfiguration.save() writes: .azureml/NAME, beside the script's folder, or
// NAME.runconfig.
[[nodiscard]] bool is_runconfig(const Node& root);

// A map with the keys of muster's own format, at the places of those that they come from. What
// only Azure can do is complained about. `source` is the file's path, as seen from the user.
[[nodiscard]] SharedNode from_runconfig(const Node& root, const std::string& source,
                                        Complaints& complaints);

}  // namespace muster::job
