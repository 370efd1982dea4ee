// RankVariables: the environments of a world's ranks, made when they are needed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "plan/dialects.hpp"

namespace muster::machine {

// What they are made of.
struct RankSources {
  model::JobSpec spec;
  model::Plan plan;
  plan::Rendezvous where;
  std::string job;
  std::vector<plan::Forwarded> kept;  // index: app
};

// Knows the ranks of one node. Its parts point at one another: it is neither copied nor moved.
class RankVariables {
 public:
  RankVariables(RankSources of, base::NodeIndex node);
  RankVariables(const RankVariables&) = delete;
  RankVariables& operator=(const RankVariables&) = delete;

  // What muster sets for all ranks of an app here; empty for an app without ranks.
  [[nodiscard]] const std::vector<model::Variable>& common(std::uint32_t app) const;
  // What it sets for one of them besides. Ranks count from 0.
  [[nodiscard]] std::vector<model::Variable> own(base::Rank rank) const;

 private:
  RankSources of_;
  plan::Twins twins_;
  std::vector<std::optional<plan::AppDialects>> dialects_;  // index: app
};

}  // namespace muster::machine
