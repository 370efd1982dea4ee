// Input of all command-line parsers: arguments, environment, current folder.
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

// Whether this variable was set by muster for the rank in which this command runs.
[[nodiscard]] bool is_given(const Asked& asked, std::string_view name);

// The path made absolute by the current folder; not normalised: "a/../b" may lead elsewhere than
// "b" where a is a link.
[[nodiscard]] std::string absolute(const Asked& asked, std::string_view path);

// The arguments between two ':'; an empty block is kept, so that it can be reported.
[[nodiscard]] std::vector<std::span<const std::string>> blocks_of(
    std::span<const std::string> words);

// Adds a line unless it is there already.
void add_once(std::vector<std::string>& lines, std::string line);

}  // namespace muster::front
