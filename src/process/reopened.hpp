// Descriptors that were inherited: where they lead, and one of our own to the same place.
#pragma once

#include "process/unique_fd.hpp"

namespace muster::process {

[[nodiscard]] bool same_place(int a, int b);

// An own, non-blocking descriptor for a pipe or terminal; nothing for other kinds or when refused.
// The one that was inherited is shared with others, who may expect it to block.
[[nodiscard]] UniqueFd reopened(int fd);

}  // namespace muster::process
