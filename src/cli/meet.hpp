// meet: a job whose nodes are started separately, from their meeting to one job of all.
#pragma once

#include <map>
#include <variant>

#include "base/id.hpp"
#include "cli/cli.hpp"
#include "front/request.hpp"
#include "plan/joined.hpp"
#include "process/unique_fd.hpp"

namespace muster::cli {

// What node 0 launches.
struct Joined {
  plan::JoinedJob job;
  std::map<base::NodeIndex, process::UniqueFd> connections;  // of all nodes but itself
};

// Every node comes here. Another node than 0 takes part in the job until it has ended. The exit
// code is that of such a node, or of one that was refused; everything has been printed already.
// `request.meeting` is there.
[[nodiscard]] std::variant<int, Joined> meet(const front::RunRequest& request,
                                             const Invocation& invocation);

}  // namespace muster::cli
