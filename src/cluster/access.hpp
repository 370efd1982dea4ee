// Access: what a user may do in a namespace, as kubectl auth can-i --list tells it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/kubectl.hpp"

namespace muster::cluster {

struct Right {
  std::string resource;  // "jobs.batch", "pods/exec"
  std::string verb;
  bool operator==(const Right&) const = default;
};

// All that muster needs for a run: those of docs/kubernetes/role.yaml. `pushes`: program or files
// go into pods over exec.
[[nodiscard]] std::vector<Right> needed_rights(bool pushes);

// Those that such a table does not grant. Pure.
[[nodiscard]] std::vector<Right> missing_rights(std::string_view table,
                                                const std::vector<Right>& needed);

}  // namespace muster::cluster
