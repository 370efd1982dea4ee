// What is still under way in a record, or for it: steps that run, and inputs that they read.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace muster::store {

// A step of a pipeline whose head lives, by its run's name: "20261121-212530.123-kufa/train". It
// may do so longer than its pipeline's. Nothing: there is none.
[[nodiscard]] std::optional<std::string> running_step(const std::string& folder);

// Where the links lead that a run, and the steps of it, have for inputs (`inputs/NAME`, and
// `inputs/NAME/FILE`): as they say, and where that is now.
[[nodiscard]] std::vector<std::string> linked_inputs(const std::string& folder);

}  // namespace muster::store
