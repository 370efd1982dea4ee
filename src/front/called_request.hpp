// CalledRequest: the hosts that a head holds for a command (`muster lead`): those that come to it
// (`muster join`), or those that it opens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "front/request.hpp"
#include "model/meeting.hpp"

namespace muster::front {

struct CalledRequest {
  bool leads = false;       // else it joins
  bool opens = false;       // leads the hosts of `spec`, which nobody else has to start
  model::Meeting meeting;   // its secret lies in `secret_file`
  std::string secret_file;  // as typed

  // ---- of a head
  SaidReach said_reach = {};
  model::JobSpec spec;                      // one app: the command, once; and hosts to be opened
  std::optional<std::uint32_t> slots = {};  // of each host
  std::vector<std::string> names = {};      // of those that come; none: as they call themselves
};

}  // namespace muster::front
