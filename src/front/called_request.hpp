// CalledRequest: hosts whose agents are started by somebody else (`muster join`), and the head to
// which they come (`muster lead`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/job_spec.hpp"
#include "model/meeting.hpp"

namespace muster::front {

struct CalledRequest {
  bool leads = false;       // else it joins
  model::Meeting meeting;   // its secret lies in `secret_file`
  std::string secret_file;  // as typed

  // ---- of a head
  model::JobSpec spec;                      // one app: the command, once
  std::optional<std::uint32_t> slots = {};  // of each host
  std::vector<std::string> names = {};      // of the hosts; none: as they call themselves
};

}  // namespace muster::front
