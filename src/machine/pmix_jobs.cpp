// Of plan and programs.
#include "machine/pmix_jobs.hpp"

#include <fmt/ranges.h>
#include <utility>

namespace muster::machine {

std::vector<pmix::JobApp> pmix_apps(const std::vector<model::App>& apps,
                                    const std::vector<model::PlannedRank>& ranks) {
  std::vector<pmix::JobApp> made;
  made.reserve(apps.size());
  for (const model::App& app : apps) {
    made.push_back({fmt::format("{}", fmt::join(app.command, " ")), app.workdir, 0});
  }
  for (const model::PlannedRank& rank : ranks) ++made[rank.app].size;
  return made;
}

pmix::Job first_job(const model::Plan& plan, const std::vector<model::App>& apps,
                    std::string nspace) {
  pmix::Job job;
  job.nspace = std::move(nspace);
  for (const model::PlannedNode& node : plan.nodes) {
    auto& ranks = job.nodes.emplace_back(pmix::JobNode{node.host.name, {}}).ranks;
    for (const base::Rank rank : node.ranks) ranks.push_back(rank.value);
  }
  job.universe = plan.universe;
  job.apps = pmix_apps(apps, plan.ranks);
  return job;
}

}  // namespace muster::machine
