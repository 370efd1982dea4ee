// Records for people. Pure.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/record.hpp"
#include "view/report.hpp"

namespace muster::view {

// All that is known of one run, one thing a line; lines that do not fit `width` columns are folded
// (0: none are).
[[nodiscard]] std::string record_words(const model::RunRecord& record, model::Utc now,
                                       std::size_t width = 0);
// The warnings of a report, as more lines of that.
[[nodiscard]] std::string warning_words(std::string_view report, std::size_t width = 0);

// For a person who watches a run begin: lines that say where its record and its outputs are, and
// what to type to follow it, look at it and stop it. `detached`: nothing of it will be seen here.
[[nodiscard]] std::string begin_words(const model::RunRecord& record, bool detached);

// "kufa failed with exit code 3: rank 1 on node1 exited with code 3"
// "kufa completed: 4 ranks on 2 hosts, 1:15"
[[nodiscard]] std::string record_sentence(const model::RunRecord& record);

// Run, state, creation, duration, ranks, job. Those of a run that has ended stay the same.
using RecordCells = std::array<std::string, 6>;
[[nodiscard]] RecordCells record_cells(const model::RunRecord& record, model::Utc now);

// A line for each run below a head line, in the order given. On a narrow terminal what says least
// is cut or left out first; the last word of a run's name stays, which is enough to name it.
[[nodiscard]] std::string record_table(const std::vector<RecordCells>& rows, Style style);

}  // namespace muster::view
