// plan_spawn: which ranks a spawn requests, and where they will run. Pure.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/id.hpp"
#include "machine/placed_world.hpp"
#include "machine/wireup.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

// A node as a spawn finds it.
struct SpawnSite {
  enum class Use : std::uint8_t { none, at_once, once_greeted };
  Use use = Use::none;
  std::uint32_t busy = 0;  // its ranks that have not ended
};

// The run at the moment of a spawn. All of it outlives the call.
struct SpawnGround {
  const model::JobSpec& spec;
  const model::Plan& plan;  // with all ranks that there have been
  const Wireup& wireup;
  const std::string& job;
  std::span<const SpawnSite> sites;  // index: node
};

struct PlannedSpawn {
  PlacedWorld placed;  // no nodes yet when hosts are needed
  model::Plan plan;    // its own: ranks from 0, only its nodes
  std::vector<model::App> apps;
  std::set<std::size_t> called = {};        // hosts that must join first; index: Plan::spare
  std::set<base::NodeIndex> to_greet = {};  // hosts that must be greeted again first
  [[nodiscard]] bool needs_hosts() const { return !called.empty() || !to_greet.empty(); }
  bool operator==(const PlannedSpawn&) const = default;
};

// Errors are for the spawner: too few slots, too many ranks, no ranks, info that is not supported.
[[nodiscard]] base::Result<PlannedSpawn> plan_spawn(const SpawnGround& ground,
                                                    const wire::Spawn& order);

}  // namespace muster::machine
