// Which folders of a host its container sees, beside those that were asked for with --mount.
#pragma once

#include <string>
#include <vector>

#include "model/container.hpp"
#include "model/job_spec.hpp"

namespace muster::container {

// Those in which ranks start and those that the job makes, and `others`, each at its own path. What
// is the system's own in the image is not covered, and what lies in another one comes with it.
[[nodiscard]] std::vector<model::ContainerMount> mounts_of_job(
    const model::JobSpec& spec, const std::vector<std::string>& others);

}  // namespace muster::container
