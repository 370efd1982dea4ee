// check_cluster: what the API server would refuse in what muster.yml says of a cluster. Pure.
#pragma once

#include <string>

#include "job/cluster.hpp"
#include "job/complaints.hpp"

namespace muster::job {

// `path`: of its keys, for complaints: "targets.NAME.kubernetes".
void check_cluster(const Cluster& cluster, const std::string& path, Complaints& complaints);

}  // namespace muster::job
