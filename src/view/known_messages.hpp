// Messages of frameworks and systems that have one known cause.
#pragma once

#include <span>
#include <string_view>

namespace muster::view {

struct KnownMessage {
  std::string_view words;   // part of the line that tells why a rank failed
  std::string_view step;    // what to do, in one line; {} stands for the host
  std::string_view source;  // where the words come from
};

// The first row whose words are in a line counts.
[[nodiscard]] std::span<const KnownMessage> known_messages();

}  // namespace muster::view
