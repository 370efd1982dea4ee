// The runtimes that can start a container, by the names that people and shells know them by.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/container.hpp"

namespace muster::container {

// "podman", "charliecloud"; never called for `automatic`.
[[nodiscard]] std::string_view name_of(model::ContainerRuntime runtime);

// The programs that a runtime may be; the first one that a host has is used.
[[nodiscard]] std::vector<std::string> programs_of(model::ContainerRuntime runtime);

// The command with which a person would try an image by hand.
[[nodiscard]] std::string trial_of(model::ContainerRuntime runtime, const std::string& image);

// In the order in which a host is searched for them, when nobody has chosen one.
[[nodiscard]] const std::vector<model::ContainerRuntime>& all_runtimes();

}  // namespace muster::container
