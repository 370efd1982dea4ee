// tell_parallel_places: steps that would write over each other's files.
#pragma once

#include "job/complaints.hpp"
#include "job/graph.hpp"

namespace muster::job {

// Complaints: two steps that may run at the same time give their outputs the same path, or one in
// the other. Steps of which only one ever runs, as a condition decides, may, and those of which
// both say `overwrite: true`.
void tell_parallel_places(const Graph& graph, Complaints& complaints);

}  // namespace muster::job
