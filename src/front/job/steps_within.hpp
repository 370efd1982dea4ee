// Steps of a step: the trials of a sweep, and what a loop does with items that a step has made.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "front/job/ground.hpp"
#include "front/pipeline_request.hpp"
#include "sweep/settings.hpp"

namespace muster::front {

// Null for a step that has none. Fault::bad_file for items that cannot be read.
[[nodiscard]] base::Result<std::shared_ptr<PipelineRequest>> steps_within(
    const SharedGround& ground, std::size_t step, const StepStart& start);

// The trials of a step, whose record is in this folder.
[[nodiscard]] std::shared_ptr<PipelineRequest> trials_of(const SharedGround& ground,
                                                         std::size_t step,
                                                         const std::string& folder,
                                                         std::vector<PoolHost> hosts,
                                                         StepStart start);

// What a step that has steps gets of its hosts; others are left as they are.
void widen(const job::GraphStep& step, const std::vector<PoolHost>& pool, model::PlannedStep& plan);

}  // namespace muster::front
