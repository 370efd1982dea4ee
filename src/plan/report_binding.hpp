// report_binding: what a rank is bound to, in Open MPI's words.
#pragma once

#include <string>

#include "model/topology.hpp"

namespace muster::plan {

// "socket 0[core 0[hwt 0-1]], socket 0[core 1[hwt 0-1]]: [BB/BB/../..][../../../..]": packages and
// cores in logical order of the machine, hardware threads within their core; B is bound. A set that
// holds all that is allowed is no binding: "is not bound (or bound to all available processors)".
// (opal/mca/hwloc/base/hwloc_base_util.c, cset2str and cset2mapstr)
[[nodiscard]] std::string report_binding(const model::Topology& topology, const model::CpuSet& set);

}  // namespace muster::plan
