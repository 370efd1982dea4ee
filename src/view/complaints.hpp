// complaints_json: what was found wrong with a file, for programs. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/checked_file.hpp"

namespace muster::view {

// {"file": ..., "fine": ..., "complaints": [{"what", "hint", "file", "line", "column"}],
// "notices": [...], "inputs": [{"name", "required"}], "outputs": [NAMES]}, and a line end. Of a
// file that was checked for a target, also "target" and "asked": [{"about", "fine", "what",
// "hint"}], where "fine" is null for what could not be asked; no complaint of a target has a place
// in the file, so none is among the complaints.
[[nodiscard]] std::string complaints_json(const model::CheckedFile& file,
                                          std::span<const base::Error> complaints,
                                          const std::vector<std::string>& notices);

}  // namespace muster::view
