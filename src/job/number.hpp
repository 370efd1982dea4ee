// number_of: numbers as YAML and people write them.
#pragma once

#include <optional>
#include <string_view>

namespace muster::job {

// "3", "-1.5", "+1e-3"; nothing for any other text, infinities included.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

}  // namespace muster::job
