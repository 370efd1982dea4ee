// check_cluster: what the API server would refuse in what muster.yml says of a cluster. Pure.
#pragma once

#include <string>
#include <string_view>

#include "job/cluster.hpp"
#include "job/complaints.hpp"

namespace muster::job {

// Whether a TrainJob can name such a runtime: NAME, TrainingRuntime/NAME,
// ClusterTrainingRuntime/NAME.
[[nodiscard]] bool is_runtime(std::string_view text);
inline constexpr const char* kRuntimeHint =
    "write NAME for a ClusterTrainingRuntime, or TrainingRuntime/NAME";

// `path`: of its keys, for complaints: "targets.NAME.kubernetes".
void check_cluster(const Cluster& cluster, const std::string& path, Complaints& complaints);

}  // namespace muster::job
