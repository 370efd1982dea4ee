// The variable by which ranks learn which environment of packages their host has made for them.
#pragma once

#include <string_view>

namespace muster::plan {

// Its folder: `bin` in it comes before PATH.
inline constexpr std::string_view kSoftware = "MUSTER_ENVIRONMENT";

}  // namespace muster::plan
