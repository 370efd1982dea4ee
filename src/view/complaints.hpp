// complaints_json: what was found wrong with a file, for programs. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/checked_file.hpp"

namespace muster::view {

// {"file": ..., "fine": ..., "complaints": [{"what", "hint", "file", "line", "column"}],
// "notices": [...], "inputs": [{"name", "required"}], "outputs": [NAMES]}, and a line end.
[[nodiscard]] std::string complaints_json(const model::CheckedFile& file,
                                          std::span<const base::Error> complaints,
                                          const std::vector<std::string>& notices);

}  // namespace muster::view
