// Rankfiles: which rank runs on which host and cpus, as Open MPI writes them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/mapping.hpp"

namespace muster::spec {

// Lines "rank R=HOST slot=LIST"; LIST is cpus ("0-3,8") or cores of sockets ("1:0-2", "0:0,1",
// "*:2", "1:*"; sockets parted by ';'). HOST may be "+nK". Comments: '#', '//', '/* */'. From
// ompi v4.1.4 orte/mca/rmaps/rank_file. Complaints are Fault::bad_file with file:line:column: an
// unknown word, a rank that is there twice, numbers that make no sense, no line at all.
[[nodiscard]] base::Result<std::vector<model::RankfileEntry>> read_rankfile(
    std::string_view text, const std::string& name);

}  // namespace muster::spec
