// Conversation: one, from its seed: a real head or agent, and parts that talk to it.
#pragma once

#include <cstdint>
#include <string>

namespace muster::talk {

// Empty when all ended as it should, else what was wrong. Call it in a process with one thread that
// has no other children. `program` is this one: it plays an agent when its first word is "part".
[[nodiscard]] std::string converse(std::uint64_t seed, const std::string& program);

// Plays an agent over stdin and stdout, as whoever started us through a carrier's words expects.
void play_part(int count, char** words);

}  // namespace muster::talk
