// Inputs that the ranks find in the record, though they lie elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "front/request.hpp"

namespace muster::cli {

// A manifest of those that were fetched: their contents stay as long as the record.
inline constexpr std::string_view kInputsManifest = "inputs.manifest";

// Makes links to them, and fetches what has an address, for the run that such a record is of.
// Fault::bad_file for one that is not there.
[[nodiscard]] base::Result<void> link_inputs(const std::vector<front::DataPath>& data,
                                             const std::string& record,
                                             const std::vector<std::string>& environment);

}  // namespace muster::cli
