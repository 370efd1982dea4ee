// Questions and answers of one server; what it does next is set by the clock.
#include "sim/sim_pmix.hpp"

#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace muster::sim {

namespace {

constexpr Duration kPmixPace(5);

const std::vector<std::uint32_t>& local_ranks(const pmix::AddJob& added) {
  return added.job->nodes[added.node].ranks;
}

std::uint32_t world_size(const pmix::Job& job) {
  std::size_t size = 0;
  for (const pmix::JobNode& node : job.nodes) size += node.ranks.size();
  return static_cast<std::uint32_t>(size);
}

std::string name_of(const pmix::Proc& proc) { return fmt::format("{}/{}", proc.nspace, proc.rank); }

}  // namespace

void SimPmix::begin() {
  ++life_;
  worlds_.clear();
  waiting_.clear();
  last_ = 0;
}

void SimPmix::add(const pmix::AddJob& job) {
  if (!worlds_.try_emplace(job.job->offset, World{job}).second) {
    events_.complain("a PMIx server hears of a world twice");
  }
}

void SimPmix::later(std::function<void()> what) {
  agenda_.after(kPmixPace, [this, what = std::move(what), life = life_] {
    if (life == life_) what();
  });
}

pmix::Ticket SimPmix::ask(World* fencing) {
  waiting_[++last_] = fencing;
  return last_;
}

SimPmix::World* SimPmix::answered(pmix::Ticket ticket) {
  const auto found = waiting_.extract(ticket);
  if (!found.empty()) return found.mapped();
  events_.complain("a PMIx server is answered twice");
  return nullptr;
}

SimPmix::World* SimPmix::world_named(const std::string& nspace) {
  for (auto& [offset, world] : worlds_) {
    if (world.added.job->nspace == nspace) return &world;
  }
  return nullptr;
}

void SimPmix::joined(base::Rank rank) {
  const auto after = worlds_.upper_bound(rank.value);
  if (after == worlds_.begin()) return events_.complain("a rank is of no world of PMIx");
  World& world = std::prev(after)->second;
  const pmix::Job& job = *world.added.job;
  const std::uint32_t own = rank.value - job.offset;
  const pmix::Proc self{job.nspace, own};
  const pmix::Proc neighbour{job.nspace, (own + 1) % world_size(job)};
  world.here.insert(own);
  answer(world);
  events_.up(pmix::Publish{ask(nullptr), {{self, name_of(self), "value"}}, false});
  events_.up(pmix::Lookup{ask(nullptr), {name_of(neighbour)}, true});
  events_.up(pmix::Modex{ask(nullptr), neighbour});
  if (world.here.size() == local_ranks(world.added).size()) fence(world);
}

// Only when all ranks of this host take part.
void SimPmix::fence(World& world) {
  const pmix::Job& job = *world.added.job;
  for (const std::uint32_t own : local_ranks(world.added)) {
    if (!events_.alive(base::Rank(job.offset + own))) return;
  }
  std::string part = fmt::format("[{}:{}]", world.added.node, world.fenced);
  const std::vector<pmix::Proc> all{{job.nspace, pmix::kAllRanks}};
  events_.up(pmix::Fence{ask(&world), all, std::move(part)});
}

void SimPmix::answer(World& world) {
  std::erase_if(world.fetches, [&](const pmix::FetchModex& fetch) {
    if (!world.here.contains(fetch.proc.rank)) return false;
    events_.up(pmix::ModexFound{fetch.ticket, pmix::kSuccess, "data of " + name_of(fetch.proc)});
    return true;
  });
}

void SimPmix::hear(const pmix::Command& command) {
  std::visit([this](const auto& one) { carry_out(one); }, command);
}

void SimPmix::carry_out(const pmix::Reply& reply) {
  World* world = answered(reply.ticket);
  if (world == nullptr || reply.status != pmix::kSuccess) return;
  if (++world->fenced < fences_) later([this, world] { fence(*world); });
}

void SimPmix::carry_out(const pmix::Found& found) { (void)answered(found.ticket); }

void SimPmix::carry_out(const pmix::FetchModex& fetch) {
  World* world = world_named(fetch.proc.nspace);
  if (world == nullptr) return events_.complain("a PMIx server is asked about a strange world");
  world->fetches.push_back(fetch);
  later([this, world] { answer(*world); });
}

}  // namespace muster::sim
