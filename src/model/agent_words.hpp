// Words behind `muster agent` with which a carrier says how the bytes of a link come and go.
#pragma once

#include <string_view>

namespace muster::model {

// Its stdin and stdout are lines of text: for carriers that pass on nothing else.
inline constexpr std::string_view kSpeaksLines = "lines";
// It stands beside the head for a command that speaks such lines with an agent.
inline constexpr std::string_view kReadsLines = "from-lines";

}  // namespace muster::model
