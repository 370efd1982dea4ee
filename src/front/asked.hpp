// What readers of command lines ask of their surroundings, and cut their words into.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "front/front.hpp"

namespace muster::front {

// The value of a variable of the launching environment, or nothing.
[[nodiscard]] std::optional<std::string_view> variable(const Asked& asked, std::string_view name);

// Whether muster gives such a variable to each rank, and the one found here was the rank's around.
[[nodiscard]] bool is_given(const Asked& asked, std::string_view name);

// A path as the current folder makes it absolute; not normalised: "a/../b" may lead elsewhere than
// "b" where a is a link.
[[nodiscard]] std::string absolute(const Asked& asked, std::string_view path);

// The words between two ':'; an empty block is kept, to be complained about.
[[nodiscard]] std::vector<std::span<const std::string>> blocks_of(
    std::span<const std::string> words);

// Adds a line unless it is there.
void add_once(std::vector<std::string>& lines, std::string line);

}  // namespace muster::front
