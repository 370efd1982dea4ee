// settle: what the steps of one pipeline say of one another, and the order that follows from it.
#pragma once

#include "job/complaints.hpp"
#include "job/component_files.hpp"
#include "job/pipeline_file.hpp"

namespace muster::job {

// Sets `order` and `made`. Complaints: expressions that name nothing, steps that wait for one
// another in a circle.
void settle(Pipeline& pipeline, const ComponentFiles& files, Complaints& complaints);

}  // namespace muster::job
