// The variables by which ranks find the wire-up servers of their host.
#pragma once

#include <map>
#include <string>

#include "base/id.hpp"

namespace muster::host {

class PmiTasks;
class PmixTasks;

// Those of all ranks of an app that are in this one's world; either server may be null. Also adds
// to the fingerprints of what muster gives (plan::kGave), which are there.
void add_wireup_variables(std::map<std::string, std::string>& environment, const PmiTasks* pmi,
                          const PmixTasks* pmix, base::Rank rank);

}  // namespace muster::host
