// Cutting values that are lists, and comparing words in any case.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::base {

// ASCII letters only.
[[nodiscard]] std::string lower(std::string_view text);

// The parts between any of the separators, without empty ones.
[[nodiscard]] std::vector<std::string> split(std::string_view text, std::string_view separators);

}  // namespace muster::base
