// Images of a planned job: all ranks of a host run in one container.
#pragma once

#include "base/error.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"

namespace muster::container {

// That of the app, or of the job.
[[nodiscard]] const std::string& image_of(const model::JobSpec& spec, const model::App& app);

// Ranks of a host that want different images are an error.
[[nodiscard]] base::Result<void> check_images(const model::JobSpec& spec, const model::Plan& plan);

}  // namespace muster::container
