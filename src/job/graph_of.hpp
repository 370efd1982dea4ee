// graph_of: a pipeline and its settings in, the Graph of its steps out. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "job/complaints.hpp"
#include "job/graph.hpp"
#include "job/pipeline_file.hpp"
#include "job/values.hpp"

namespace muster::job {

inline constexpr std::size_t kGraphStepsMax = 20'000;

// Settings: `inputs.NAME` of the pipeline, and `jobs.STEP.inputs.NAME` of one of its steps.
// `complaints` has the sources of the pipeline's files: Complaints(sources_of(pipeline)). Those
// that are made: inputs without a value, or with one that muster cannot reach; values that are not
// of their type; steps that would write to the same place at the same time.
[[nodiscard]] Graph graph_of(const PipelineFile& pipeline, const std::vector<Setting>& settings,
                             const Bases& bases, Complaints& complaints);

[[nodiscard]] std::vector<std::string> sources_of(const PipelineFile& pipeline);

}  // namespace muster::job
