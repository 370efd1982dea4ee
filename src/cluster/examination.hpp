// examine: asks a cluster beforehand whether it would take a run. Nothing is made there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cluster/kubectl.hpp"
#include "kubernetes/run.hpp"
#include "kubernetes/value.hpp"

namespace muster::cluster {

// The answer to one question.
struct Finding {
  std::string about;            // access, operator, quota, admission, storage, processor, image
  std::optional<bool> is_fine;  // nothing: it could not be asked
  base::Error told;             // `what` is one line in each case
};

// What would be made in the cluster.
struct Asked {
  kubernetes::Run run;
  // In place of muster's own pods, what an operator carries out; empty: muster's.
  std::vector<kubernetes::Value> operated;
  std::string processor;  // of this program, in the words of Kubernetes: "amd64"
};

// Access, quotas, admission of all objects and of their pods (server-side dry run), claims of
// volumes, processors of nodes, and images; after a cluster that does not answer, nothing more.
[[nodiscard]] std::vector<Finding> examine(const Kubectl& kubectl, const Asked& asked);

}  // namespace muster::cluster
