// ClusterRequest: a job that goes to a cluster of Kubernetes: the pods that are made for it, and
// what muster is asked for in the launcher's pod.
#pragma once

#include <string>
#include <vector>

#include "front/request.hpp"
#include "kubernetes/run.hpp"
#include "kubernetes/value.hpp"

namespace muster::front {

// In the launcher's pod: below it each file of the job lies at the path that it has here.
inline constexpr std::string_view kJobFolder = "/run/muster/job";

struct ClusterRequest {
  std::string target;   // of muster.yml
  kubernetes::Run run;  // `launcher` has no command yet
  // Of a target with an operator: its job, in place of muster's own pods; else empty.
  std::vector<kubernetes::Value> operated;
  std::string file;                // the job file's absolute path
  std::vector<std::string> words;  // of `muster submit` in the pod, but for the file
  bool tags = false;               // lines of output are shown with their ranks
};

}  // namespace muster::front
