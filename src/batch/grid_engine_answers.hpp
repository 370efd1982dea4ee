// What the commands of Grid Engine answer. Tried with 8.1.9. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "batch/system.hpp"

namespace muster::batch {

// Of `qsub -terse`: "12"; empty: no id.
[[nodiscard]] std::string grid_engine_id(std::string_view said);
// Of `qsub -w v` that has ended well.
[[nodiscard]] std::string grid_engine_tested(std::string_view said, model::Utc now);
// Of `qstat -xml -s prsz`. One that is over counts as cancelled until the accounts tell how it has
// ended: they are written some seconds later (accounting_flush_time in sge_conf(5)), and never for
// one that had not begun.
[[nodiscard]] std::vector<Sight> grid_engine_listed(std::string_view said);
// Of `qacct -j`, for one job after the other, with times in UTC.
[[nodiscard]] std::vector<Sight> grid_engine_past(std::string_view said);
[[nodiscard]] Refusal grid_engine_refused(std::string_view said);

}  // namespace muster::batch
