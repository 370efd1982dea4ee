// container_of: the container that a job's keys and its target ask for. Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "job/complaints.hpp"
#include "job/job_spec.hpp"

namespace muster::job {

// Stands for an image that is built before the run.
inline constexpr std::string_view kBuiltImage = "localhost/muster-build";

// Whether its image is one of Azure ML's own below which packages are installed: it holds an
// operating system, MPI and CUDA, which the hosts have. Then the packages are all that is needed.
// Source: https://github.com/Azure/AzureML-Containers, its README.
[[nodiscard]] bool is_base_of_packages(const JobFile& job);

// Environments of it and its roles of which only a name is known, and no image.
[[nodiscard]] std::vector<const Text*> software_of(const JobFile& job);

// None where processes shall run on the hosts themselves. `spec`: with the job's apps, in the order
// of `layout`; apps of roles with images of their own get these. Complaints: software that nobody
// can give the job, words that a container cannot be described with.
[[nodiscard]] std::optional<model::ContainerSpec> container_of(const JobFile& job,
                                                               const Place& place,
                                                               model::JobSpec& spec,
                                                               Complaints& complaints);

}  // namespace muster::job
