// kToldToEnd: how an agent's error begins when its host has been told to end, with the signal
// behind it.
#pragma once

#include <string_view>

namespace muster::machine {

inline constexpr std::string_view kToldToEnd = "the host was told to end";

}  // namespace muster::machine
