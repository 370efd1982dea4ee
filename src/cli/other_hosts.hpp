// The hosts of a run that may keep folders of it, which do not lie on this machine.
#pragma once

#include <set>
#include <string>

#include "model/record.hpp"

namespace muster::cli {

// By the names that the record has for them. Some may share the folder of records, which is not
// known.
[[nodiscard]] std::set<std::string> other_hosts(const model::RunRecord& record);

}  // namespace muster::cli
