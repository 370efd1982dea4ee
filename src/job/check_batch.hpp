// check_batch: what sbatch would refuse, or muster could not follow, in what muster.yml says of a
// batch system. Pure.
#pragma once

#include <string>

#include "job/batch_place.hpp"
#include "job/complaints.hpp"

namespace muster::job {

// `path`: of its keys, for complaints: "targets.NAME.slurm".
void check_batch(const BatchPlace& place, const std::string& path, Complaints& complaints);

}  // namespace muster::job
