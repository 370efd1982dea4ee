// Jobs whose target is a cluster of Kubernetes: their pods, and what is asked for in them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "front/call.hpp"
#include "front/cluster_request.hpp"
#include "front/job/options.hpp"
#include "job/complaints.hpp"
#include "job/job_spec.hpp"

namespace muster::front {

// The target with its pods as hosts: as many as it may have, or as a job of `nodes` asks for.
[[nodiscard]] job::Place pods_of(const Call& call, job::Target target, std::uint32_t nodes);

// In place of those that the file names.
void use_image(const std::string& image, job::JobFile& job);

// What is typed of a container is for hosts with a runtime.
[[nodiscard]] base::Result<void> check_container(const model::ContainerSpec& typed);

// A job, or a step of a pipeline, on such a target.
struct PodJob {
  std::string name;  // of the step; empty: it is none
  const job::JobFile* job = nullptr;
};

// Complaints: jobs without an image, with one that nobody has built yet, or with different ones;
// data of this machine that would not be seen in the cluster.
[[nodiscard]] std::shared_ptr<ClusterRequest> cluster_request(
    const Call& call, const JobDraft& draft, const std::string& file, const job::Place& place,
    const std::vector<PodJob>& jobs, job::Complaints& complaints);

}  // namespace muster::front
