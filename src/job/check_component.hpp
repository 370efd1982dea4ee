// What an older component runs: a command or a launcher, as its type says, and never both.
#pragma once

#include "job/complaints.hpp"
#include "job/node.hpp"

namespace muster::job {

void check_component(const Node& root, Complaints& complaints);

}  // namespace muster::job
