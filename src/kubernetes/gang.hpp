// Gangs: pods that a scheduler starts together or not at all. Pure.
//
// An operator makes the PodGroup of its jobs, and joins their pods to it, when it has been started
// for such a scheduler. Of muster's own pods, the workers are in one: the launcher's pod must run
// before they can be made, and is not.
#pragma once

#include <cstdint>
#include <string>

#include "kubernetes/run.hpp"
#include "kubernetes/value.hpp"

namespace muster::kubernetes {

// The name of the scheduler of all pods; "": the cluster's own.
[[nodiscard]] std::string scheduler_of(const job::Cluster& cluster);

[[nodiscard]] bool has_gang(const job::Cluster& cluster);

// `schedulingPolicy` of an operator's job with so many pods; nothing without a gang.
[[nodiscard]] Value scheduling_policy(const job::Cluster& cluster, std::uint32_t pods);

// The PodGroup of a run's workers, without metadata; and the mark of its pods in their metadata.
[[nodiscard]] Value pod_group(const Run& run, Value meta);
void join_gang(Value& meta, const Run& run);

// What kubectl calls PodGroups: "podgroups.scheduling.volcano.sh".
[[nodiscard]] std::string pod_group_resource(const job::Cluster& cluster);

}  // namespace muster::kubernetes
