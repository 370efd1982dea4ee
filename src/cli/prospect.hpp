// Prospect: a job with its plan, and with what goes along to its ranks, before a host is contacted.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "plan/environment.hpp"

namespace muster::cli {

// Everything known before a host is contacted.
struct Prospect {
  model::JobSpec spec;
  model::Inventory inventory;
  model::Plan plan;
  plan::Kept kept;
  // Those of the job, when its command calls a launcher whose words do not tell which it uses.
  std::vector<model::Host> command_hosts = {};
};

// `environment` is that of the launching shell.
[[nodiscard]] base::Result<Prospect> prospect(model::JobSpec spec, model::Inventory inventory,
                                              const std::vector<std::string>& environment);

// Whether the hosts that are listed have room for its ranks, as far as nobody must be asked for
// that; without a list, whether this machine has.
[[nodiscard]] base::Result<void> check_room(const model::JobSpec& spec,
                                            const std::vector<std::string>& environment);

// What is known of it then; the rest stands in angle brackets.
[[nodiscard]] plan::Rendezvous foreseen_rendezvous(const Prospect& job);

// What one of the apps does not get, and why; which one, where the others get it. Sorted by name.
[[nodiscard]] std::vector<plan::Withheld> withheld(const Prospect& job);

}  // namespace muster::cli
