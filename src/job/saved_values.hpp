// saved_values: what a run configuration of Azure ML's SDK v1 says, for programs. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster::job {

// All of its keys as one JSON object, numbers and true and false as such; empty where the text is
// no run configuration.
[[nodiscard]] std::string saved_values(std::string_view text);

}  // namespace muster::job
