// other_files: files of Azure ML's that hold something else than one job.
#pragma once

#include "job/complaints.hpp"
#include "job/node.hpp"

namespace muster::job {

// Whether the file holds one; the complaint says what it is, and what to do with it.
bool refuse_others(const Node& root, Complaints& complaints);

}  // namespace muster::job
