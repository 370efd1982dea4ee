// The folder that holds all records of a person: where it is, and what is in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/record.hpp"

namespace muster::store {

// $MUSTER_RECORDS, else $XDG_STATE_HOME/muster/runs, else ~/.local/state/muster/runs; nothing when
// the environment names none of them.
[[nodiscard]] std::optional<std::string> records_folder(
    const std::vector<std::string>& environment);

// In the folder of a run that an errand of a head elsewhere has made: it is no record.
inline constexpr std::string_view kSentFile = ".sent";

// In that folder: what was put where an output has a path of its own.
inline constexpr std::string_view kPlacedOutputs = ".placed";

// Beside the records: a file that whoever takes checkpoints over from an earlier run locks.
inline constexpr std::string_view kCheckpointsLock = ".checkpoints";

// Whether a folder may be a record: "20261121-212530.123-kufa". Pure.
[[nodiscard]] bool is_run_name(std::string_view name);

// What of a record's path lies in the folder of all records: "RUN/steps/train". That folder may
// have had another path when it was written down. Empty: no run is in it. Pure.
[[nodiscard]] std::string below_records(std::string_view records, std::string_view folder);

// The names of all records, the oldest first. A folder that is not there holds none.
[[nodiscard]] std::vector<std::string> run_names(const std::string& folder);

// The one run that a person means: by its whole name, by how it begins, by how its last part
// begins ("kufa"), or as `last`. `names` as run_names() gives them. Pure.
[[nodiscard]] base::Result<std::string> find_run(const std::vector<std::string>& names,
                                                 const std::string& word);

// The names of the steps of a pipeline that have records. A folder that is not there holds none.
[[nodiscard]] std::vector<std::string> step_names(const std::string& pipeline);

// The one step that a person means, by its whole name or by how it begins. Pure.
[[nodiscard]] base::Result<std::string> find_step(const std::vector<std::string>& names,
                                                  const std::string& word);

// The name of the run whose record lies in a folder: "20261121-212530.123-kufa", with "/train" for
// a step of it and "/tune/trial_0" for a trial of one that is a sweep. Pure.
[[nodiscard]] std::string run_of(const std::string& folder);

// The folder of a step's record, in that of its pipeline.
[[nodiscard]] std::string step_folder(const std::string& pipeline, std::string_view step);

// "20261121-212530.123-kufa": sorts by time, and its end can be said aloud. Pure.
[[nodiscard]] std::string run_name(model::Utc time, std::uint32_t random);

[[nodiscard]] model::Utc utc_now();

// This process, and this host since it was started.
[[nodiscard]] model::HeadPlace this_place();

}  // namespace muster::store
