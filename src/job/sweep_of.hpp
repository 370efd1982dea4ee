// sweep_of: the keys of a sweep become its settings, and its parameters inputs of the trials.
#pragma once

#include <vector>

#include "job/complaints.hpp"
#include "job/job_file.hpp"
#include "sweep/space.hpp"

namespace muster::job {

// `keys` have been read along their table, `trial` is the job of the trials. Each parameter is one
// more input, search_space.NAME; if the job is a component, it is also the input of its own name.
void make_sweep(const SweepKeys& keys, bool in_component, JobFile& trial, Complaints& complaints);

// The inputs of one trial have the values of its point.
void assign(JobFile& trial, const std::vector<sweep::Assignment>& values);

}  // namespace muster::job
