// job_info: what a namespace is registered with, so that MPI libraries find all that they read.
#pragma once

#include "pmix/info.hpp"
#include "pmix/library.hpp"
#include "pmix/values.hpp"

namespace muster::pmix {

[[nodiscard]] Infos job_info(const Library& library, const AddJob& added);

// "(vector,(0,2,2))": the process mapping in the syntax of PMI-1, which MPICH reads here too.
[[nodiscard]] std::string anl_map(const Job& job);

}  // namespace muster::pmix
