// dialects(): all variables of one rank, sorted by name.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "plan/dialects.hpp"

namespace muster::plan {

inline std::vector<model::Variable> dialects(const model::Plan& plan, const Rendezvous& where,
                                             const Forwarded& kept, const std::string& job,
                                             const model::JobSpec& spec, base::Rank rank) {
  const AppDialects app({plan, where, spec, job}, kept, plan.ranks[rank.value].app);
  std::vector<model::Variable> all = app.of(rank, twins(plan));
  all.insert(all.end(), app.common().begin(), app.common().end());
  std::ranges::sort(all, {}, &model::Variable::name);
  return all;
}

}  // namespace muster::plan
