// PMI_process_mapping: which ranks share a node, in the one line that MPICH reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/plan.hpp"

namespace muster::plan {

// "(vector,(first,count,ppn),...)": nodes first .. first+count-1 take ppn consecutive ranks each;
// when the blocks end the list starts again, until the ranks run out.
[[nodiscard]] std::string process_mapping(const model::Plan& plan);

// The same for the nodes of ranks 0, 1, 2, ...
[[nodiscard]] std::string process_mapping(std::span<const std::uint32_t> nodes);

}  // namespace muster::plan
