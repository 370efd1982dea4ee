// Control messages to protobuf bytes and back, with every bound checked on the way in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "wire/messages.hpp"

namespace muster::wire {

inline constexpr int kNestingMax = 8;            // messages inside messages
inline constexpr std::uint32_t kSignalMax = 64;  // SIGRTMAX on Linux

// Appends the payload of a control frame. Raw messages (Input, Output) must not be given.
void encode(std::string& out, const ToAgent& message);
void encode(std::string& out, const ToHead& message);

[[nodiscard]] base::Result<ToAgent> decode_to_agent(std::string_view payload);
[[nodiscard]] base::Result<ToHead> decode_to_head(std::string_view payload);

}  // namespace muster::wire
