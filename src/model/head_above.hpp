// The socket at which a launcher inside a rank asks the head above it for hosts.
#pragma once

#include <string_view>

namespace muster::model {

// A variable of every rank whose host has such a socket: its path there.
inline constexpr std::string_view kHeadAbove = "MUSTER_HEAD";

}  // namespace muster::model
