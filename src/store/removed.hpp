// Runs whose records went while other hosts may keep folders of them: `.removed` in the folder of
// all records. There `muster gc -H` learns what hosts need not keep.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace muster::store {

inline constexpr std::string_view kRemovedFile = ".removed";

struct RemovedRun {
  std::string run;
  std::set<std::string> hosts;  // that have not been told
  bool operator==(const RemovedRun&) const = default;
};

// A line of the file, and of what was read of it; lines that make no sense are left out, which a
// full disk may have cut. Pure.
[[nodiscard]] std::string removed_text(const std::vector<RemovedRun>& runs);
[[nodiscard]] std::vector<RemovedRun> removed_in(std::string_view text);

// Adds them. What cannot be written is lost: such folders go like those of unknown runs.
void note_removed(const std::string& records, const std::vector<RemovedRun>& runs);

[[nodiscard]] std::vector<RemovedRun> removed_runs(const std::string& records);

// This host has removed what it had of them.
void forget_removed(const std::string& records, const std::vector<std::string>& runs,
                    const std::string& host);

}  // namespace muster::store
