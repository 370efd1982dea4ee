// Along the runs that a pipeline goes on from, to what they have of a step.
#pragma once

#include <functional>
#include <string>

namespace muster::cli {

// Names the folder of the step's record in `pipeline`, in the run that this goes on from, and so
// on, until `found` says so; the record need not be there. Empty: it was found in none.
std::string look_back(std::string pipeline, const std::string& step,
                      const std::function<bool(const std::string& folder)>& found);

}  // namespace muster::cli
