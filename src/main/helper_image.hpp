// The helper program, as it lies in this one.
#pragma once

#include <string_view>

namespace muster {

[[nodiscard]] std::string_view helper_image();

}  // namespace muster
