// What front ends ask of lists with commas.
#pragma once

#include <string_view>

namespace muster::front {

// Whether the list lacks something before, between or after its commas.
[[nodiscard]] constexpr bool has_gap(std::string_view list) {
  return list.empty() || list.starts_with(',') || list.ends_with(',') ||
         list.find(",,") != std::string_view::npos;
}

}  // namespace muster::front
