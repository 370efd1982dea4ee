// Worlds as PMIx servers know them. Each is made once; what nodes are told shares it.
#include "machine/pmix_head.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "machine/pmix_jobs.hpp"

namespace muster::machine {

using base::NodeIndex;
using base::Rank;

// What is left of an earlier round must not be taken for a rank of this one.
void PmixHead::begin(const model::Plan& plan, const std::vector<model::App>& apps,
                     std::uint32_t round) {
  pmix::Job job =
      first_job(plan, apps, "muster-" + secret_ + (round == 0 ? "" : fmt::format(".{}", round)));
  exchange_ = PmixExchange(static_cast<std::uint32_t>(job.nodes.size()));
  exchange_.add(job);
  worlds_ = {std::make_shared<const pmix::Job>(std::move(job))};
}

// It hears of the worlds before it with a place of its own in them, where none of their ranks are.
void PmixHead::add_host(const std::string& name) {
  exchange_.add_node();
  for (SharedJob& world : worlds_) {
    pmix::Job larger = *world;
    larger.nodes.push_back({name, {}});
    world = std::make_shared<const pmix::Job>(std::move(larger));
  }
}

void PmixHead::add(const model::World& world, const std::vector<model::PlannedRank>& ranks,
                   const std::vector<model::App>& apps, Rank spawner) {
  CHECK(!worlds_.empty() && worlds_.back()->offset < world.first.value);
  const pmix::Job& first = *worlds_.front();
  const auto after = std::ranges::upper_bound(worlds_, spawner.value, {},
                                              [](const SharedJob& one) { return one->offset; });
  const pmix::Job& parent = **(after - 1);
  pmix::Job job;
  job.nspace = fmt::format("{}-{}", first.nspace, world.number);
  for (const pmix::JobNode& node : first.nodes) job.nodes.push_back({node.host, {}});
  for (std::uint32_t own = 0; own < ranks.size(); ++own) {
    job.nodes[ranks[own].node.value].ranks.push_back(own);
  }
  job.universe = first.universe;
  job.apps = pmix_apps(apps, ranks);
  job.parent = pmix::Proc{parent.nspace, spawner.value - parent.offset};
  job.world = world.number;
  job.offset = world.first.value;
  exchange_.add(job);
  worlds_.push_back(std::make_shared<const pmix::Job>(std::move(job)));
}

std::vector<pmix::AddJob> PmixHead::jobs(NodeIndex node) const {
  std::vector<pmix::AddJob> made;
  for (const SharedJob& world : worlds_) made.push_back({world, node.value, {}});
  return made;
}

pmix::AddJob PmixHead::newest() const { return {worlds_.back(), 0, {}}; }

// Equal worlds need not be the same.
bool PmixHead::operator==(const PmixHead& other) const {
  const auto world = [](const SharedJob& job) -> const pmix::Job& { return *job; };
  return secret_ == other.secret_ && exchange_ == other.exchange_ &&
         std::ranges::equal(worlds_, other.worlds_, {}, world, world);
}

}  // namespace muster::machine
