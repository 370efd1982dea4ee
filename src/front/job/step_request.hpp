// The request of one step of a pipeline.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "front/front.hpp"
#include "front/job/ground.hpp"
#include "front/pipeline_request.hpp"
#include "job/values.hpp"
#include "model/step.hpp"

namespace muster::front {

// The request, or the first complaint.
[[nodiscard]] base::Result<RunRequest> request_in(Reading reading);

[[nodiscard]] std::string step_folder(const Call& call, const std::string& name);
[[nodiscard]] job::Bases bases_of_step(const Ground& ground, std::size_t step);
// Where it lies; empty: there is none.
[[nodiscard]] std::string path_of(const Ground& ground, const job::StepOutput& output);

// That of a step that was chosen; before any is, the last one's.
[[nodiscard]] const job::StepOutput& the_one(const job::MadeBy& made,
                                             std::span<const std::size_t> chosen);

// Inputs that other steps make become paths, or what the output's file holds once that step has
// ended and this one starts: Fault::bad_file where it holds no value.
[[nodiscard]] base::Result<job::JobFile> bound_job(const Ground& ground, std::size_t step,
                                                   const StepStart* start = nullptr);

// What the environment, and muster.yml beside the pipeline, say of hosts.
[[nodiscard]] Reading with_inherited(const Ground& ground, const Call& call, Reading reading);

[[nodiscard]] JobDraft draft_of_step(const JobDraft& draft, const std::string& name);

// The first entry of each host that the step uses, with what it gets there.
[[nodiscard]] job::Place narrowed(job::Place place, std::span<const PoolShare> hosts);

[[nodiscard]] Reading step_reading(const Ground& ground, std::size_t step, const job::Place& place,
                                   const StepStart* start = nullptr);

[[nodiscard]] model::PlannedStep planned_step(const job::GraphStep& step, const PoolPlace& where);

}  // namespace muster::front
