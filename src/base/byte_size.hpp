// Numbers of bytes as people write and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::base {

// "300M", "1.5G", "2Gi", "64KiB", "1000": powers of 1000, with an i of 1024; in either case.
[[nodiscard]] std::optional<std::uint64_t> parse_byte_size(std::string_view text);

// The same, but with its unit, or 0: of what is kept, where all beyond it is removed. A "50" would
// rarely mean bytes.
[[nodiscard]] std::optional<std::uint64_t> parse_budget(std::string_view text);

// "0 bytes", "999 bytes", "1.2 kB", "34 MB": in powers of 1000.
[[nodiscard]] std::string byte_words(std::uint64_t bytes);

}  // namespace muster::base
