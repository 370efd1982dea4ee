// read_saved: output that lies in a file of a run's record, however long it is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace muster::cli {

// Calls `take` with some lines at a time, at most about 1 MiB, until there are no more or it denies
// that more are wanted; a line that is longer comes in parts. `tail`: only the last lines. False:
// there is no such file.
[[nodiscard]] bool read_saved(const std::string& path, std::optional<std::uint32_t> tail,
                              const std::function<bool(std::string_view lines)>& take);

}  // namespace muster::cli
