// place: gives every rank its node, in time linear in ranks and hosts.
#include <algorithm>
#include <limits>
#include <numeric>

#include "plan/plan.hpp"
#include "plan/remedy.hpp"

namespace muster::plan {
namespace {

using base::NodeIndex;
using base::Rank;
using model::Host;
using model::Inventory;
using model::JobSpec;
using model::Plan;

// What a host takes before it is full, and at the very most.
struct Room {
  std::uint32_t slots = 0;
  std::uint32_t cap = 0;
};

std::vector<Room> rooms(const JobSpec& spec, const Inventory& inventory) {
  const auto endless = std::numeric_limits<std::uint32_t>::max();
  std::vector<Room> result;
  result.reserve(inventory.hosts.size());
  for (const Host& host : inventory.hosts) {
    const std::uint32_t cap =
        std::min(host.max_slots.value_or(endless), spec.per_node.value_or(endless));
    result.push_back({std::min(host.slots, cap), cap});
  }
  return result;
}

Total total_of(const std::vector<Room>& rooms) {
  Total total;
  for (const Room& room : rooms) {
    total.slots += room.slots;
    total.cap += room.cap;
  }
  return total;
}

std::uint64_t slots_of(const Inventory& inventory) {
  std::uint64_t sum = 0;
  for (const Host& host : inventory.hosts) sum += host.slots;
  return sum;
}

std::uint64_t wanted(const JobSpec& spec, const model::App& app, const Inventory& inventory) {
  if (app.ranks) return *app.ranks;
  if (spec.per_node) return std::uint64_t{*spec.per_node} * inventory.hosts.size();
  if (inventory.source != model::HostSource::here) return slots_of(inventory);
  return inventory.hosts.size();  // one per fake node, or one on this machine
}

// How many ranks each app gets.
std::vector<std::uint64_t> wanted(const JobSpec& spec, const Inventory& inventory) {
  std::vector<std::uint64_t> counts;
  for (const model::App& app : spec.apps) counts.push_back(wanted(spec, app, inventory));
  return counts;
}

// Deals ranks to the nodes that have room, one each in turn. Every visit either deals a rank or
// strikes a node off, so the work is bounded by ranks plus nodes.
class Dealer {
 public:
  Dealer(const std::vector<Room>& rooms, std::uint64_t ranks) : rooms_(rooms) {
    order_.reserve(ranks);
    counts_.resize(rooms.size());
  }

  // Up to `ranks` more, none on a node that has room.*limit already; the turn goes on after the
  // node that was served last.
  void deal(std::uint64_t ranks, std::uint32_t Room::*limit) {
    std::vector<std::uint32_t> open(rooms_.size());
    for (std::uint32_t i = 0; i < open.size(); ++i) open[i] = i;
    std::rotate(open.begin(), open.begin() + next_, open.end());
    const std::uint64_t end = order_.size() + ranks;
    while (!open.empty() && order_.size() < end) pass(open, limit, end);
  }

  [[nodiscard]] const std::vector<std::uint32_t>& order() const { return order_; }
  [[nodiscard]] std::vector<std::uint32_t>& counts() { return counts_; }

 private:
  // One round; full nodes leave `open`.
  void pass(std::vector<std::uint32_t>& open, std::uint32_t Room::*limit, std::uint64_t end) {
    std::size_t kept = 0;
    for (const std::uint32_t node : open) {
      if (order_.size() == end) return;
      if (counts_[node] >= rooms_[node].*limit) continue;
      serve(node);
      open[kept++] = node;
    }
    open.resize(kept);
  }

  void serve(std::uint32_t node) {
    order_.push_back(node);
    ++counts_[node];
    next_ = node + 1 == rooms_.size() ? 0 : node + 1;
  }

  const std::vector<Room>& rooms_;
  std::vector<std::uint32_t> order_;   // host of each rank, in the order of dealing
  std::vector<std::uint32_t> counts_;  // ranks of each host
  std::uint32_t next_ = 0;
};

// The host of each rank, 0 .. ranks - 1.
std::vector<std::uint32_t> by_node(const std::vector<Room>& rooms, std::uint64_t ranks) {
  Dealer dealer(rooms, ranks);
  dealer.deal(ranks, &Room::slots);
  dealer.deal(ranks - dealer.order().size(), &Room::cap);
  return dealer.order();
}

std::vector<std::uint32_t> by_slot(const std::vector<Room>& rooms, std::uint64_t ranks) {
  std::vector<Room> beyond(rooms.size());
  std::vector<std::uint32_t> counts(rooms.size());
  std::uint64_t left = ranks;
  for (std::size_t i = 0; i < rooms.size(); ++i) {
    counts[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, rooms[i].slots));
    left -= counts[i];
    beyond[i].cap = rooms[i].cap - rooms[i].slots;
  }
  Dealer dealer(beyond, left);
  dealer.deal(left, &Room::cap);
  std::vector<std::uint32_t> hosts;
  hosts.reserve(ranks);
  for (std::uint32_t i = 0; i < rooms.size(); ++i) {
    hosts.insert(hosts.end(), counts[i] + dealer.counts()[i], i);
  }
  return hosts;
}

// Node indexes for the hosts that run ranks, in the user's order.
std::vector<NodeIndex> keep_used(Plan& plan, const Inventory& inventory,
                                 const std::vector<std::uint32_t>& host_of_rank) {
  std::vector<std::uint32_t> counts(inventory.hosts.size());
  for (const std::uint32_t host : host_of_rank) ++counts[host];
  std::vector<NodeIndex> node_of_host(inventory.hosts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    node_of_host[i] = NodeIndex(plan.nodes.size());
    plan.nodes.push_back({inventory.hosts[i], {}});
    plan.nodes.back().ranks.reserve(counts[i]);
  }
  return node_of_host;
}

void number_apps(Plan& plan, const std::vector<std::uint64_t>& counts) {
  auto rank = plan.ranks.begin();
  for (std::uint32_t app = 0; app < counts.size(); ++app) {
    for (std::uint64_t i = 0; i < counts[app]; ++i) (rank++)->app = app;
  }
}

Plan assemble(const JobSpec& spec, const Inventory& inventory,
              const std::vector<std::uint32_t>& host_of_rank) {
  Plan plan;
  plan.policy = spec.mapping.map_by == model::MapBy::node ? "by node" : "by slot";
  plan.universe = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(slots_of(inventory), std::numeric_limits<std::uint32_t>::max()));
  const auto node_of_host = keep_used(plan, inventory, host_of_rank);
  plan.ranks.reserve(host_of_rank.size());
  for (const std::uint32_t host : host_of_rank) {
    const NodeIndex node = node_of_host[host];
    auto& ranks = plan.nodes[node.value].ranks;
    plan.ranks.push_back({node, static_cast<std::uint32_t>(ranks.size())});
    ranks.emplace_back(plan.ranks.size() - 1);
  }
  return plan;
}

// On this machine too many ranks are slow, not wrong: a laptop must run -n 8 on four cores.
bool may_share_cores(const JobSpec& spec, const Inventory& inventory) {
  return spec.oversubscribe || inventory.source == model::HostSource::here;
}

std::string crowded(std::uint64_t ranks, const Inventory& inventory) {
  std::uint64_t cpus = 0;
  for (const Host& host : inventory.hosts) cpus += host.cpus.value_or(host.slots);
  return fmt::format("{} ranks on {} core{} of this machine: ranks take turns on them", ranks, cpus,
                     cpus == 1 ? "" : "s");
}

}  // namespace

base::Result<Plan> place(const JobSpec& spec, const Inventory& inventory) {
  const std::vector<Room> room = rooms(spec, inventory);
  const Total total = total_of(room);
  const std::vector<std::uint64_t> counts = wanted(spec, inventory);
  const std::uint64_t ranks = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (ranks == 0 || ranks > model::kRanksMax) return bad_count(ranks);
  if (ranks > total.cap) return above_cap(spec, inventory, ranks, total);
  const bool crowd = ranks > total.slots;
  if (crowd && !may_share_cores(spec, inventory)) {
    return above_slots(spec, inventory, ranks, total);
  }
  const bool in_rows = spec.mapping.map_by == model::MapBy::slot;
  Plan plan = assemble(spec, inventory, in_rows ? by_slot(room, ranks) : by_node(room, ranks));
  number_apps(plan, counts);
  if (crowd && !spec.oversubscribe) plan.notices.push_back(crowded(ranks, inventory));
  return plan;
}

}  // namespace muster::plan
