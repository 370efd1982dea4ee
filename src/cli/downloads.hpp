// Inputs that the ranks find in the record, though they lie elsewhere.
#pragma once

#include <vector>

#include "base/error.hpp"
#include "front/request.hpp"

namespace muster::cli {

// Makes links to them. Fault::bad_file for one that is not there.
[[nodiscard]] base::Result<void> link_inputs(const std::vector<front::DataPath>& data);

}  // namespace muster::cli
