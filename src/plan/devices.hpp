// Devices: each rank's share of its host's accelerators.
#pragma once

#include <string>

#include "plan/environment.hpp"

namespace muster::plan {

// The value that shows local rank `local` of `ranks` its `each` devices: "2,3". They are dealt in
// a row. Empty when the devices are too few for all ranks of the host.
[[nodiscard]] std::string share_of(const model::Devices& devices, std::uint32_t local,
                                   std::size_t ranks, std::uint32_t each);

// What fake node `index` of `count` on one machine has of its devices: as many in a row.
[[nodiscard]] model::Devices part_of(const model::Devices& devices, std::size_t index,
                                     std::size_t count);

// --gpus-per-rank: every host must have devices of one maker that are enough for its ranks. A maker
// whose devices are too few (the display's, say) is left out. Fault::no_slots. Hosts without facts
// pass.
[[nodiscard]] base::Result<void> check_devices(const model::JobSpec& spec, const model::Plan& plan,
                                               const Rendezvous& where);

}  // namespace muster::plan
