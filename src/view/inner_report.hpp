// InnerReport: what a launcher tells the muster around it, in whose rank it was called, of its end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/report.hpp"

namespace muster::view {

struct InnerReport {
  std::int32_t code = 0;   // exit code of the launcher
  bool elsewhere = false;  // another process of the same run has told it to people
  std::string words;       // as report() has them
};

// The text of the file that MUSTER_REPORT_FILE names: "muster-report 1 CODE\n" and the words.
[[nodiscard]] std::string to_text(const InnerReport& report);

// That of the launcher whose failure made the first rank fail: nothing if the rank called none, or
// if it ended otherwise than the launcher did.
[[nodiscard]] std::optional<InnerReport> inner_report(const model::RunReport& report);

// Whether people have read it on the rank's stderr.
[[nodiscard]] bool was_told(const InnerReport& inner, const model::RunReport& report);

}  // namespace muster::view
