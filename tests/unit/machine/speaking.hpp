// Ranks that write lines: a plan of that many on one host, and who they are.
#pragma once

#include "machine/speakers.hpp"

namespace muster::machine {

[[nodiscard]] inline model::Plan speaking_plan(std::uint32_t ranks) {
  model::Plan plan;
  plan.nodes.emplace_back();
  plan.nodes[0].host.name = "here";
  plan.ranks.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    plan.nodes[0].ranks.emplace_back(rank);
    plan.ranks.push_back({base::NodeIndex(0), rank, 0});
  }
  return plan;
}

struct Speaking {
  explicit Speaking(std::uint32_t ranks) : plan(speaking_plan(ranks)), speakers(plan, {{}}) {}
  Speaking(const Speaking&) = delete;
  Speaking& operator=(const Speaking&) = delete;

  model::Plan plan;
  Speakers speakers;
};

}  // namespace muster::machine
