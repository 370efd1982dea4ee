// Plan: which rank runs where. Compact: a million ranks fit in some tens of megabytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "model/inventory.hpp"

namespace muster::model {

inline constexpr std::uint32_t kUnbound = 0xFFFFFFFF;

struct PlannedRank {
  base::NodeIndex node;
  std::uint32_t local_rank = 0;
  std::uint32_t app = 0;             // index in JobSpec::apps
  std::uint32_t binding = kUnbound;  // index in Plan::sets
  bool operator==(const PlannedRank&) const = default;
};

struct PlannedNode {
  Host host;
  std::vector<base::Rank> ranks;  // ascending; never empty
  bool operator==(const PlannedNode&) const = default;
};

struct Plan {
  std::vector<PlannedNode> nodes;    // only hosts that run ranks, in the user's order
  std::vector<PlannedRank> ranks;    // index = rank
  std::vector<Host> spare;           // hosts without ranks: spawned ones may come there
  std::uint32_t universe = 0;        // slots of all hosts of the inventory
  std::string policy;                // "by slot", "by package": how the ranks were dealt
  std::vector<CpuSet> sets;          // the different sets of cpus that ranks are bound to
  Mapping mapping = {};              // as it was carried out, without the user's lists of cpus
  bool binds_in_turn = false;        // by local rank, as Hydra does
  std::vector<std::string> notices;  // to be told once, for example more ranks than slots here

  // Where a rank may run; empty: not bound.
  [[nodiscard]] CpuSet cpus_of(base::Rank rank) const {
    const std::uint32_t set = ranks[rank.value].binding;
    return set == kUnbound ? CpuSet() : sets[set];
  }
  bool operator==(const Plan&) const = default;
};

// One variable of a rank's environment, with the reason for it ("torch", "--fake-nodes", "-x").
struct Variable {
  std::string name;
  std::string value;
  std::string why;
  bool operator==(const Variable&) const = default;
};

}  // namespace muster::model
