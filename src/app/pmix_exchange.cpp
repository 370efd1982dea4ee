// The head's PMIx: one job, one exchange, frames in and out.
#include "app/pmix_exchange.hpp"

#include <random>

namespace muster::app {

namespace {

std::string random_name(const char* prefix) {
  std::random_device random;
  return fmt::format("{}{:08x}{:08x}{:08x}{:08x}", prefix, random(), random(), random(), random());
}

}  // namespace

PmixExchange::PmixExchange(const pmix::Job& job, Send send)
    : exchange_(static_cast<std::uint32_t>(job.hosts.size())),
      readers_(job.hosts.size()),
      send_(std::move(send)) {
  exchange_.add(job);
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

pmix::Job pmix_job(const model::Plan& plan, const std::vector<model::App>& apps) {
  pmix::Job job;
  job.nspace = random_name("muster-");
  for (const model::PlannedNode& node : plan.nodes) {
    job.hosts.push_back(node.host.name);
    auto& ranks = job.ranks.emplace_back();
    for (const base::Rank rank : node.ranks) ranks.push_back(rank.value);
  }
  job.universe = plan.universe;
  for (const model::App& app : apps) {
    job.apps.push_back({fmt::format("{}", fmt::join(app.command, " ")), app.workdir, 0});
  }
  for (const model::PlannedRank& rank : plan.ranks) ++job.apps[rank.app].size;
  return job;
}

std::vector<std::string> pmix_job_frames(pmix::Job job) {
  std::vector<std::string> frames;
  for (std::uint32_t node = 0; node < job.hosts.size(); ++node) {
    job.node = node;
    job.scratch = random_name("/dev/shm/muster-");
    pmix::append(frames.emplace_back(), pmix::AddJob{job});
  }
  return frames;
}

}  // namespace muster::app
