// sweep: between a sweep's request and its overseer: trials of an earlier run, the folders that
// metrics are in, and what the best trial leaves.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "front/pipeline_request.hpp"
#include "pipeline/sweep_overseer.hpp"
#include "sweep/trials.hpp"

namespace muster::cli {

// Of a sweep that goes on.
struct EarlierTrials {
  sweep::Begun begun;
  std::map<std::size_t, std::string> kept;  // trials that completed, with their records' folders
};
[[nodiscard]] EarlierTrials earlier_trials(const front::PipelineRequest& request);

// Null: it is no sweep. `request` outlives it.
[[nodiscard]] std::unique_ptr<pipeline::SweepOverseer> overseer_of(
    const front::PipelineRequest& request, const EarlierTrials& earlier);

}  // namespace muster::cli
