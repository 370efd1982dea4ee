// The order of ranks, host by host; hosts with equal hardware and assignments share the work.
#include "plan/ranking.hpp"

#include <algorithm>
#include <deque>

namespace muster::plan {
namespace {

using model::Mapping;
using model::RankBy;

using Objects = std::vector<std::uint32_t>;              // of the assignments of one host, as dealt
using Rounds = std::vector<std::vector<std::uint32_t>>;  // positions in Objects, round by round

// Assignments of one host that wait for their number, by the object that they were dealt to.
class Waiting {
 public:
  explicit Waiting(const Objects& objects) : left_(objects.size()) {
    for (std::uint32_t i = 0; i < objects.size(); ++i) by_object_[objects[i]].push_back(i);
  }

  [[nodiscard]] std::size_t left() const { return left_; }

  // The first assignment as dealt among those of the given objects.
  std::optional<std::uint32_t> take(const std::vector<std::uint32_t>& among) {
    std::deque<std::uint32_t>* best = nullptr;
    for (const std::uint32_t object : among) {
      auto& queue = by_object_[object];
      if (!queue.empty() && (best == nullptr || queue.front() < best->front())) best = &queue;
    }
    if (best == nullptr) return std::nullopt;
    const std::uint32_t assignment = best->front();
    best->pop_front();
    --left_;
    return assignment;
  }

  [[nodiscard]] Objects used() const {
    Objects objects;
    for (const auto& [object, queue] : by_object_) objects.push_back(object);
    return objects;
  }

 private:
  std::map<std::uint32_t, std::deque<std::uint32_t>> by_object_;
  std::size_t left_;
};

const model::CpuSet& set_of(const Hardware& hardware, model::Level level, std::uint32_t object) {
  return object == kNoObject ? hardware.whole.set : hardware.at(level)[object].set;
}

// For each object of the ranking's level, the mapping's objects that share a cpu with it.
std::vector<Objects> meetings(const Hardware& hardware, const Mapping& mapping,
                              const Objects& used) {
  std::vector<Objects> result;
  for (const Hardware::Object& ranked : hardware.at(mapping.rank_level)) {
    result.emplace_back();
    for (const std::uint32_t object : used) {
      if (ranked.set.meets(set_of(hardware, mapping.level, object))) {
        result.back().push_back(object);
      }
    }
  }
  return result;
}

Rounds rounds_of(const Hardware& hardware, const Mapping& mapping, const Objects& objects) {
  Waiting waiting(objects);
  const Objects used = waiting.used();
  const std::vector<Objects> meets = meetings(hardware, mapping, used);
  Rounds rounds;
  while (waiting.left() > 0) {
    rounds.emplace_back();
    for (const Objects& among : meets) {
      const bool all = mapping.rank_by == RankBy::fill;
      for (auto assignment = waiting.take(among); assignment; assignment = waiting.take(among)) {
        rounds.back().push_back(*assignment);
        if (!all) break;
      }
    }
    if (!rounds.back().empty()) continue;
    // The rest sits where there is no such object (a core without an l3cache, say): as dealt.
    for (auto assignment = waiting.take(used); assignment; assignment = waiting.take(used)) {
      rounds.back().push_back(*assignment);
    }
  }
  return rounds;
}

// The assignments of each host, as dealt.
struct HostAssignments {
  std::uint32_t host = 0;
  std::vector<Assignment> assignments;
  Objects objects;
};

std::vector<HostAssignments> by_host(const std::vector<Assignment>& assignments,
                                     std::size_t hosts) {
  std::vector<HostAssignments> all(hosts);
  for (const Assignment& assignment : assignments) {
    all[assignment.host].assignments.push_back(assignment);
    all[assignment.host].objects.push_back(assignment.object);
  }
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i].host = i;
  std::erase_if(all, [](const HostAssignments& one) { return one.objects.empty(); });
  return all;
}

base::Result<Rounds> rounds_on(const model::Host& host, const Mapping& mapping,
                               HardwareOfHosts& hardware, const Objects& objects) {
  const auto known = hardware.find(host, mapping);
  if (!known) return tl::unexpected(known.error());
  if ((*known)->at(mapping.rank_level).empty()) {
    return base::fail(base::Fault::usage, "--rank-by slot works on every host",
                      "{} has no {} to rank by", host.name, model::name_of(mapping.rank_level));
  }
  return rounds_of(**known, mapping, objects);
}

// Round by round over all hosts with `across`, else each host's rounds before the next host.
std::vector<Assignment> joined(const std::vector<HostAssignments>& hosts,
                               const std::vector<const Rounds*>& rounds, bool across) {
  std::vector<Assignment> ordered;
  const auto append = [&](std::size_t i, const std::vector<std::uint32_t>& round) {
    for (const std::uint32_t assignment : round)
      ordered.push_back(hosts[i].assignments[assignment]);
  };
  if (!across) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      for (const auto& round : *rounds[i]) append(i, round);
    }
    return ordered;
  }
  bool more = true;
  for (std::size_t number = 0; more; ++number) {
    more = false;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (number >= rounds[i]->size()) continue;
      append(i, (*rounds[i])[number]);
      more = true;
    }
  }
  return ordered;
}

// One assignment of each host in turn.
std::vector<Assignment> one_of_each_host(const std::vector<HostAssignments>& hosts) {
  std::vector<Rounds> own(hosts.size());
  std::vector<const Rounds*> rounds;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (std::uint32_t k = 0; k < hosts[i].objects.size(); ++k) own[i].push_back({k});
    rounds.push_back(&own[i]);
  }
  return joined(hosts, rounds, true);
}

}  // namespace

base::Result<std::vector<Assignment>> in_rank_order(const Mapping& mapping,
                                                    const model::Inventory& inventory,
                                                    HardwareOfHosts& hardware,
                                                    std::vector<Assignment> assignments) {
  if (!mapping.rank_given) return assignments;
  if (mapping.rank_by == RankBy::slot) {
    std::ranges::stable_sort(assignments, {}, &Assignment::host);
    return assignments;
  }
  const std::vector<HostAssignments> hosts = by_host(assignments, inventory.hosts.size());
  if (mapping.rank_by == RankBy::node) return one_of_each_host(hosts);
  std::map<std::pair<const model::Topology*, Objects>, Rounds> known;
  std::vector<const Rounds*> rounds;
  for (const HostAssignments& one : hosts) {
    const model::Host& host = inventory.hosts[one.host];
    const auto [at, is_new] = known.try_emplace({host.topology.value.get(), one.objects});
    if (is_new) {
      auto made = rounds_on(host, mapping, hardware, one.objects);
      if (!made) return tl::unexpected(made.error());
      at->second = std::move(*made);
    }
    rounds.push_back(&at->second);
  }
  return joined(hosts, rounds, mapping.rank_by == RankBy::span);
}

}  // namespace muster::plan
