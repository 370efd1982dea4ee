// The machines of head and agent alone, in this process, with peers that say anything: as many
// messages in a second as real links carry in an hour.
#pragma once

#include <cstdint>

namespace muster::talk {

// One conversation; a broken promise aborts. Returns the number of messages that a machine heard.
std::uint64_t converse_in_memory(std::uint64_t seed);

}  // namespace muster::talk
