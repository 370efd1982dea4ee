// Slurm from outside: sbatch, squeue, sacct and scancel (their manual pages, 20.11 and later).
#pragma once

#include "batch/system.hpp"

namespace muster::batch {

extern const System kSlurm;

}  // namespace muster::batch
