// Output that lies in a file of a run's record, however long it is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/record.hpp"

namespace muster::cli {

// The file of a record, by its folder, that has what a run elsewhere has printed.
[[nodiscard]] std::string saved_log(const std::string& record);

struct SavedPart {
  std::uint64_t begin = 0;                 // its first byte; all of that line
  std::optional<std::uint32_t> tail = {};  // of that, only the last lines
};

// Calls `take` with some lines at a time, at most about 1 MiB, until there are no more or it denies
// that more are wanted; a line that is longer comes in parts. False: there is no such file.
[[nodiscard]] bool read_saved(const std::string& path, const SavedPart& part,
                              const std::function<bool(std::string_view lines)>& take);

// Hands each piece to `write`, which denies that more can be written, and says whether all was
// there.
using Speak = std::function<bool(const std::function<bool(std::string_view)>& write)>;

// Makes such a file. What lay there before stays unless all was there.
[[nodiscard]] bool save_output(const std::string& path, const Speak& speak);

// The same of `kubectl logs --timestamps`: into the record's `log`, without them, and beside it its
// `times` (docs/RECORD.md), of a single stream.
void save_timed_output(const std::string& record, const Speak& speak);

// From which byte on that log holds all that was printed since then. Nothing: it has no times.
[[nodiscard]] std::optional<std::uint64_t> saved_since(const std::string& record, model::Utc since);

}  // namespace muster::cli
