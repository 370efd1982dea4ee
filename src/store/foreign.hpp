// Marks of records that this user has made of what other users began, as in a cluster:
// `.foreign-RUN` in the folder of all records holds the name of who did. The record itself is this
// user's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::store {

inline constexpr std::string_view kForeignMark = ".foreign-";

// Before there is a record of the run. `owner`: one line. False, with errno, when it cannot be
// written.
[[nodiscard]] bool mark_foreign(const std::string& records, const std::string& run,
                                std::string_view owner);
// After its record has gone.
void unmark_foreign(const std::string& records, const std::string& run);

// Who began it; empty: no mark of this user's says so.
[[nodiscard]] std::string foreign_owner(const std::string& records, std::string_view run);

// The runs with marks, sorted.
[[nodiscard]] std::vector<std::string> foreign_runs(const std::string& records);

}  // namespace muster::store
