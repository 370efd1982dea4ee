// The end of a run in words: what failed, where, why, and what to do next. Pure.
#pragma once

#include <string>

#include "base/error.hpp"
#include "model/report.hpp"
#include "view/style.hpp"

namespace muster::view {

// The failure report, each line starting with "muster: " or indented; empty for a completed run
// without warnings. The cause stands in the first three lines: rank, host, exit code or signal in
// words, pid, the line of its stderr that tells most; then a next step and its last lines.
[[nodiscard]] std::string report(const model::RunReport& report, Style style);

// The same where the ranks' stderr has been read as well: what a launcher in the rank that failed
// has said there of its own ranks is not said again, nor are the last lines of a job's only rank.
[[nodiscard]] std::string untold(const model::RunReport& report, Style style);

// Who chose the exit code; the code of a launcher in the rank that failed may be one of muster's.
[[nodiscard]] model::CodeFrom code_from(const model::RunReport& report);

// One line, without its newline: how a round failed, and that another follows.
[[nodiscard]] std::string failure(const model::RunReport& report);

// "muster: error: hosts:3:7: slots must be from 1 to 8, not 0\n  hint: ...\n", and the same of the
// errors that it has with it; a hint that several share is told once, and what is the same of
// several hosts (or other names) in one line: "node1, node2: no answer within 15 s".
[[nodiscard]] std::string error(const base::Error& error, Style style);

// "signal 11 (SIGSEGV, invalid memory reference)"
[[nodiscard]] std::string signal_words(int number);

// The first line of such a text, without what frames it: why a run has ended so.
[[nodiscard]] std::string cause_in(std::string text);

}  // namespace muster::view
