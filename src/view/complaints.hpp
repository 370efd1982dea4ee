// complaints_json: what was found wrong with a file, for programs. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace muster::view {

// {"file": ..., "fine": ..., "complaints": [{"what", "hint", "file", "line", "column"}],
// "notices": [...]}, and a line end.
[[nodiscard]] std::string complaints_json(const std::string& file,
                                          std::span<const base::Error> complaints,
                                          const std::vector<std::string>& notices);

}  // namespace muster::view
