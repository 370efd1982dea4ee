// value_of: looks a variable up in an environment of "NAME=VALUE" entries.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster::base {

// Empty when it is not set, as for one that is set to nothing.
[[nodiscard]] std::string value_of(std::span<const std::string> environment, std::string_view name);

}  // namespace muster::base
