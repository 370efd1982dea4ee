// What the launcher in the command of a job would ask for: its arguments, parsed as inside the job.
#pragma once

#include <memory>
#include <optional>

#include "front/front.hpp"
#include "front/request.hpp"

namespace muster::front {

// `spec`: of the job, with the hosts that it leaves to its command. Launchers that run on each node
// and join each other are read as one for all. Nothing when the command calls no launcher, or when
// only a shell can expand its arguments.
[[nodiscard]] std::shared_ptr<const RunRequest> inner_request(const Call& call,
                                                              const model::JobSpec& spec);

// What is wrong with the words of a launcher that the command begins with, told as the launcher
// itself would: it would start nothing. Nothing also where another launcher of that name is meant,
// by a path.
[[nodiscard]] std::optional<base::Error> inner_mistake(const Call& call,
                                                       const model::JobSpec& spec);

}  // namespace muster::front
