// read_saved, save_output: output that lies in a file of a run's record, however long it is.
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

// Makes such a file: `speak` hands each piece to `write`, which denies that more can be written,
// and says whether all was there. Else what lay there before stays.
[[nodiscard]] bool save_output(
    const std::string& path,
    const std::function<bool(const std::function<bool(std::string_view)>& write)>& speak);

}  // namespace muster::cli
