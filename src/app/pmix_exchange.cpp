// The head's PMIx: one job, one exchange, frames in and out.
#include "app/pmix_exchange.hpp"

#include <algorithm>
#include <fmt/ranges.h>

#include "probe/random.hpp"

namespace muster::app {

namespace {

std::string random_name(const char* prefix) { return prefix + probe::random_digits(32); }

std::vector<pmix::JobApp> apps_of(const std::vector<model::App>& apps,
                                  const std::vector<model::PlannedRank>& ranks) {
  std::vector<pmix::JobApp> made;
  made.reserve(apps.size());
  for (const model::App& app : apps) {
    made.push_back({fmt::format("{}", fmt::join(app.command, " ")), app.workdir, 0});
  }
  for (const model::PlannedRank& rank : ranks) ++made[rank.app].size;
  return made;
}

}  // namespace

PmixExchange::PmixExchange(pmix::Job job, std::vector<std::string> scratch, Send send)
    : hosts_(job.hosts),
      scratch_(std::move(scratch)),
      exchange_(static_cast<std::uint32_t>(job.hosts.size())),
      readers_(job.hosts.size()),
      send_(std::move(send)) {
  exchange_.add(job);
  worlds_.push_back(std::move(job));
}

void PmixExchange::take(base::NodeIndex node, const wire::PmixUp& message) {
  auto& reader = readers_[node.value];
  reader.feed(message.frame);
  for (auto upcall = reader.next(); upcall && *upcall; upcall = reader.next()) {
    for (const pmix::ToNode& one : exchange_.take(node.value, **upcall)) {
      wire::PmixDown down;
      pmix::append(down.frame, one.command);
      send_(base::NodeIndex(one.node), std::move(down));
    }
  }
}

void PmixExchange::add_host(const std::string& name) {
  hosts_.push_back(name);
  scratch_.push_back(pmix_scratch(1).front());
  readers_.emplace_back();
  exchange_.add_node();
}

std::string PmixExchange::so_far(base::NodeIndex node) const {
  std::string frames;
  for (pmix::Job job : worlds_) {
    job.hosts = hosts_;
    job.ranks.resize(hosts_.size());
    job.node = node.value;
    job.scratch = scratch_[node.value];
    pmix::append(frames, pmix::AddJob{std::move(job)});
  }
  return frames;
}

void PmixExchange::add(const machine::AddWorld& spawned) {
  const auto parent =
      std::ranges::upper_bound(worlds_, spawned.spawner.value, {}, &pmix::Job::offset) - 1;
  pmix::Job job;
  // As hard to guess as the first one's.
  job.nspace = fmt::format("{}-{}", worlds_.front().nspace, spawned.world.number);
  job.hosts = hosts_;
  job.ranks.resize(job.hosts.size());
  job.universe = worlds_.front().universe;
  job.apps = apps_of(spawned.apps, spawned.ranks);
  job.parent = pmix::Proc{parent->nspace, spawned.spawner.value - parent->offset};
  job.world = spawned.world.number;
  job.offset = spawned.world.first.value;
  for (std::uint32_t rank = 0; rank < spawned.ranks.size(); ++rank) {
    job.ranks[spawned.ranks[rank].node.value].push_back(rank);
  }
  const std::vector<std::string> frames = pmix_job_frames(job, scratch_);
  for (std::size_t node = 0; node < frames.size(); ++node) {
    send_(base::NodeIndex(node), wire::PmixDown{frames[node]});
  }
  exchange_.add(job);
  worlds_.push_back(std::move(job));
}

pmix::Job pmix_job(const model::Plan& plan, const std::vector<model::App>& apps) {
  pmix::Job job;
  job.nspace = random_name("muster-");
  for (const model::PlannedNode& node : plan.nodes) {
    job.hosts.push_back(node.host.name);
    auto& ranks = job.ranks.emplace_back();
    for (const base::Rank rank : node.ranks) ranks.push_back(rank.value);
  }
  job.universe = plan.universe;
  job.apps = apps_of(apps, plan.ranks);
  return job;
}

std::vector<std::string> pmix_scratch(std::size_t nodes) {
  std::vector<std::string> folders;
  while (folders.size() < nodes) folders.push_back(random_name("/dev/shm/muster-"));
  return folders;
}

std::vector<std::string> pmix_job_frames(pmix::Job job, const std::vector<std::string>& scratch) {
  std::vector<std::string> frames;
  for (std::uint32_t node = 0; node < job.hosts.size(); ++node) {
    job.node = node;
    job.scratch = scratch[node];
    pmix::append(frames.emplace_back(), pmix::AddJob{job});
  }
  return frames;
}

}  // namespace muster::app
