// Ranking: which of the dealt assignments gets which number.
#pragma once

#include "model/mapping.hpp"
#include "plan/dealing.hpp"
#include "plan/hardware.hpp"

namespace muster::plan {

// Puts the assignments of one app in the order of their ranks. As dealt, when the user asked for
// nothing.
//
// slot: host by host, each host's as dealt. node: one of each host in turn. object: host by host;
// within a host one of each object in turn. fill: host by host; all of an object, then the next.
// span: one of each object in turn, over the objects of all hosts. An assignment belongs to an
// object when the two share a cpu. (orte/mca/rmaps/base/rmaps_base_ranking.c)
[[nodiscard]] base::Result<std::vector<Assignment>> in_rank_order(
    const model::Mapping& mapping, const model::Inventory& inventory, HardwareOfHosts& hardware,
    std::vector<Assignment> assignments);

}  // namespace muster::plan
