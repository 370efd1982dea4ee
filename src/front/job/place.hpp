// Where a job may run, as the command line and muster.yml say.
#pragma once

#include <optional>
#include <string>

#include "base/error.hpp"
#include "front/call.hpp"
#include "front/job/options.hpp"
#include "front/targets.hpp"
#include "job/job_spec.hpp"

namespace muster::front {

// The target that is the hosts of the job whose command called muster. What they hold and can do is
// as it was asked for there.
inline constexpr std::string_view kAllocation = "allocation";

// The target that a file asks for, if it does, with its hosts; the command line wins. `nodes`: as
// many pods a cluster is asked for, if that is the target.
struct WantedTarget {
  std::optional<job::Text> name;
  std::string source;  // path of that file
};
[[nodiscard]] base::Result<job::Place> place_of(const Call& call, const JobDraft& draft,
                                                const WantedTarget& wanted,
                                                const job::Targets& known, std::uint32_t nodes);

}  // namespace muster::front
