// Random bits of the kernel. std::random_device asks the processor what it can do each time, which
// costs a tenth of a millisecond in a virtual machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace muster::probe {

[[nodiscard]] std::uint32_t random_number();

// Hex digits, 4 random bits each.
[[nodiscard]] std::string random_digits(std::size_t count);

}  // namespace muster::probe
