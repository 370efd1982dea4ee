// Commands to requests: which fields a command must have and what they may hold.
#pragma once

#include "base/error.hpp"
#include "pmi/pmi_command.hpp"
#include "pmi/pmi_values.hpp"

namespace muster::pmi {

// A line of PMI-1, among them the init with which PMI-2 starts too.
[[nodiscard]] base::Result<Request> request_v1(const Command& command);
[[nodiscard]] base::Result<Request> request_v2(const Command& command);

// One body of PMI-1's spawn: the commands come one by one, the reply after the last.
struct SpawnBody {
  std::uint32_t total = 1;
  std::uint32_t number = 1;  // from 1
  SpawnCommand command;
  std::vector<KeyValue> preput;  // the same in every body
};
[[nodiscard]] base::Result<SpawnBody> spawn_body(const Command& command);

}  // namespace muster::pmi
