// The end file: how a run has ended, in few bytes, for whoever started muster in a pod: the kubelet
// keeps it as the container's termination message, at most 4,096 bytes.
#pragma once

#include <string>
#include <vector>

#include "model/record.hpp"

namespace muster::cli {

// Where the kubelet reads it.
inline constexpr const char* kMessageFile = "/dev/termination-log";

// With kMessageFile as its value it asks `muster submit` for the end file. A variable may be left
// over from elsewhere, so that no other path is obeyed: that file would be the user's.
inline constexpr const char* kEndFile = "MUSTER_END_FILE";

// The first line is the last event of the record (docs/RECORD.md), the rest is the report.
[[nodiscard]] std::string end_text(const model::RunRecord& record, const std::string& report);

// For a run whose record lies in `folder`, if it has ended.
void write_end_file(const std::string& folder, const std::vector<std::string>& environment);

struct EndText {
  model::Ending ending;
  std::string report;
};

// Of such a text. Nothing: it is none.
[[nodiscard]] std::optional<EndText> read_end_text(std::string_view text);

}  // namespace muster::cli
