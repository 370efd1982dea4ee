// What a frame says before its payload, as short words, and a hash of the payload.
#pragma once

#include <string>
#include <string_view>

namespace muster::sim {

// Of one whole frame: "kind 1, length 24, run 1, hosts 0-1".
[[nodiscard]] std::string header_words(std::string_view frame);

// Of 64 bits, as hex digits: enough to see that a payload has changed.
[[nodiscard]] std::string payload_hash(std::string_view frame);

}  // namespace muster::sim
