// Reads a spawn's info keys and deals its ranks to the job's hosts.
#include "plan/spawned.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <string_view>

namespace muster::plan {
namespace {

using base::Fault;
using base::NodeIndex;
using base::Result;

// "a,b:2" or, in one info value for several, "a b"; counts say nothing here.
std::vector<std::string> host_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(", \t\n"), list.size());
    const std::string_view word = list.substr(0, end);
    const std::string_view name = word.substr(0, word.find(':'));
    if (!name.empty()) names.emplace_back(name);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return names;
}

bool brings_hosts(std::string_view key) {
  return key == "hostfile" || key == "add-host" || key == "add-hostfile" || key == "add_host" ||
         key == "add_hostfile";
}

bool is_called(const model::Host& host, const std::string& name) {
  return host.name == name || std::ranges::find(host.aliases, name) != host.aliases.end();
}

// How full a host is, and how many more it may take.
struct Load {
  const SpawnCapacity* capacity = nullptr;
  std::int64_t over = 0;  // ranks beyond its slots; negative: free slots
  std::uint64_t left = 0;
};

class SpawnDealer {
 public:
  explicit SpawnDealer(std::span<const SpawnCapacity> capacities) {
    for (const SpawnCapacity& capacity : capacities) {
      const std::uint64_t cap = capacity.host->max_slots.value_or(model::kRanksMax);
      loads_.push_back({&capacity, std::int64_t{capacity.busy} - std::int64_t{capacity.host->slots},
                        cap - std::min<std::uint64_t>(cap, capacity.busy)});
    }
  }

  Result<void> deal(const SpawnWish& wish, std::vector<NodeIndex>& out) {
    auto open = allowed(wish);
    if (!open) return tl::unexpected(open.error());
    std::uint32_t left = wish.ranks;
    if (!wish.by_node) left = fill(*open, left, out);
    return spread(*open, left, wish.by_node, out);
  }

 private:
  Result<std::vector<std::size_t>> allowed(const SpawnWish& wish) const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; wish.hosts.empty() && i < loads_.size(); ++i) open.push_back(i);
    for (const std::string& name : wish.hosts) {
      const auto found = std::ranges::find_if(
          loads_, [&](const Load& one) { return is_called(*one.capacity->host, name); });
      if (found == loads_.end()) {
        return base::fail(Fault::usage,
                          "ranks can be spawned on the job's hosts, unless they are lost",
                          "{} is not one of the job's hosts", name);
      }
      const auto index = static_cast<std::size_t>(found - loads_.begin());
      if (std::ranges::find(open, index) == open.end()) open.push_back(index);
    }
    return open;
  }

  void take(std::size_t index, std::vector<NodeIndex>& out) {
    Load& load = loads_[index];
    ++load.over;
    --load.left;
    out.push_back(load.capacity->node);
  }

  // Free slots, each host in turn; gives back how many ranks are left.
  std::uint32_t fill(const std::vector<std::size_t>& open, std::uint32_t ranks,
                     std::vector<NodeIndex>& out) {
    for (const std::size_t index : open) {
      for (; ranks > 0 && loads_[index].over < 0 && loads_[index].left > 0; --ranks) {
        take(index, out);
      }
    }
    return ranks;
  }

  // By slot, to whom it burdens least; by node, in turn.
  Result<void> spread(const std::vector<std::size_t>& open, std::uint32_t ranks, bool by_node,
                      std::vector<NodeIndex>& out) {
    using Turn = std::pair<std::int64_t, std::size_t>;  // what decides, place in `open`
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> next;
    const auto key = [&](std::size_t place, std::int64_t round) {
      return by_node ? round : loads_[open[place]].over;
    };
    for (std::size_t place = 0; place < open.size(); ++place) next.emplace(key(place, 0), place);
    while (ranks > 0 && !next.empty()) {
      const auto [turn, place] = next.top();
      next.pop();
      if (loads_[open[place]].left == 0) continue;
      take(open[place], out);
      --ranks;
      next.emplace(key(place, turn + 1), place);
    }
    if (ranks == 0) return {};
    return base::fail(Fault::no_slots, "raise max_slots of the hosts, or spawn fewer",
                      "{} more rank{} than the hosts' max_slots allow", ranks,
                      ranks == 1 ? "" : "s");
  }

  std::vector<Load> loads_;
};

}  // namespace

Result<SpawnWish> spawn_wish(std::span<const std::pair<std::string, std::string>> info,
                             std::uint32_t ranks) {
  SpawnWish wish;
  wish.ranks = ranks;
  for (const auto& [key, value] : info) {
    if (brings_hosts(key)) {
      return base::fail(Fault::usage, "name all hosts when the job is started",
                        "the info key {} is not supported: a job's hosts do not change", key);
    }
    if (key == "host" || key == "hosts") wish.hosts = host_names(value);
    if (key == "wdir") wish.workdir = value;
    if (key == "path") wish.path = value;
    if (key == "map_by" || key == "map-by") {
      wish.by_node = value.starts_with("node") || value.starts_with("NODE");
    }
  }
  return wish;
}

Result<std::vector<NodeIndex>> place_spawned(std::span<const SpawnCapacity> capacities,
                                             std::span<const SpawnWish> wishes) {
  SpawnDealer dealer(capacities);
  std::vector<NodeIndex> nodes;
  for (const SpawnWish& wish : wishes) {
    if (auto dealt = dealer.deal(wish, nodes); !dealt) return tl::unexpected(dealt.error());
  }
  return nodes;
}

}  // namespace muster::plan
