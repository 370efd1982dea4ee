// orders: what the hosts of a world need to start it: one message for all, and one for each host.
// Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "machine/head_events.hpp"
#include "machine/placed_world.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "plan/environment.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

// One world.
struct OrdersFor {
  const model::JobSpec& spec;
  const model::Plan& plan;  // its ranks count from 0
  const plan::Rendezvous& where;
  const plan::Kept& kept;
  const std::string& job;
  const PlacedWorld& placed;
  std::uint32_t window = 0;
  std::string nspace = {};              // as in wire::World
  std::string spawner = {};             // likewise
  const wire::Spawn* wanted = nullptr;  // by the spawner; null: nobody has spawned it
};

// One message, or two where some of its hosts are this machine and others are not: those get less
// of the launching shell's environment.
[[nodiscard]] std::vector<ToNodes> told_to_all(const OrdersFor& world);

// `node`: of the world's plan. `fed` is sorted: its ranks that get input. Claims, held port and
// missed worlds are the caller's.
[[nodiscard]] wire::Prepare told_to(base::NodeIndex node, const OrdersFor& world,
                                    const std::vector<base::Rank>& fed);

}  // namespace muster::machine
