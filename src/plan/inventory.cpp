// inventory: the hosts of a job, each once, from host lists, fake nodes or this machine alone.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "model/carriers.hpp"
#include "plan/fake_shares.hpp"
#include "plan/plan.hpp"
#include "plan/slot_count.hpp"

namespace muster::plan {
namespace {

using model::Host;
using model::HostEntry;
using model::Inventory;
using model::JobSpec;
using model::SlotRule;

// A rankfile may call this machine otherwise than the list of hosts does.
void add_own_names(Host& host, const ThisMachine& here) {
  for (const std::string& name : here.local_names) {
    const bool known =
        name == host.name || std::ranges::find(host.aliases, name) != host.aliases.end();
    if (!known) host.aliases.push_back(name);
  }
}

// Of each of so many nodes of this machine, at least one cpu.
model::Cpus cpu_share(const model::Cpus& all, std::uint32_t nodes) {
  return {std::max(1U, all.usable / nodes), all.limited || nodes > 1};
}

// Its ranks run beside the head, unless they need a container.
model::Carrier carrier_here(const JobSpec& spec) {
  return spec.container ? model::kContained : model::kLocal;
}

Inventory only_here(const JobSpec& spec, const ThisMachine& here) {
  Host host;
  host.carrier = carrier_here(spec);
  host.name = here.hostname.empty() ? "localhost" : here.hostname;
  host.cpus = cpu_share(here.cpus, 1);
  host.slots = host.cpus->usable;
  host.slots_are_cores = spec.slot_rule == SlotRule::open_mpi;
  host.topology = here.topology;
  host.numa = here.numa;
  add_own_names(host, here);
  return {{std::move(host)}, model::kHostsHere, {}};
}

std::uint32_t slots_of_a_fake_node(const JobSpec& spec, std::uint32_t cpus) {
  if (const std::uint64_t ranks = model::ranks_given(spec); ranks > 0) {
    return static_cast<std::uint32_t>((ranks - 1) / spec.fake_nodes + 1);
  }
  return spec.per_node.value_or(cpus);
}

base::Result<Inventory> fake_nodes(const JobSpec& spec, const ThisMachine& here) {
  if (spec.fake_nodes > model::kRanksMax) {
    return base::fail(base::Fault::usage, {}, "--fake-nodes must be from 1 to {}, not {}",
                      model::kRanksMax, spec.fake_nodes);
  }
  Host host;
  host.carrier = model::kFakeNode;
  host.cpus = cpu_share(here.cpus, spec.fake_nodes);
  host.slots = slots_of_a_fake_node(spec, host.cpus->usable);
  host.numa = here.numa;
  Inventory inventory;
  inventory.hosts.reserve(spec.fake_nodes);
  const FakeShares shares(here.topology, spec.fake_nodes);
  for (std::uint32_t i = 0; i < spec.fake_nodes; ++i) {
    host.name = fmt::format("fake-{}", i);
    host.topology = shares.of(i);
    inventory.hosts.push_back(host);
  }
  return inventory;
}

// Merges the entries of a list into hosts, in linear time.
class HostMerger {
 public:
  HostMerger(const JobSpec& spec, const ThisMachine& here) : spec_(spec), here_(here) {
    local_.insert(here.local_names.begin(), here.local_names.end());
    for (const model::SameHost& same : here.same_hosts) {
      if (spec.names_are_hosts) break;
      joined_.insert_or_assign(written_key(same.other), written_key(same.first));
    }
    hosts_.reserve(spec.hosts.size());
  }

  base::Result<void> add(const HostEntry& entry) {
    const std::string own = key(entry);
    const auto [known, is_new] = index_.try_emplace(own, hosts_.size());
    if (is_new) {
      hosts_.push_back(first(entry, is_here(entry)));
      counts_.emplace_back(spec_);
    }
    Host& host = hosts_[known->second];
    const bool is_alias = !is_new && host.name != entry.name;
    if (is_alias && std::ranges::find(host.aliases, entry.name) == host.aliases.end()) {
      host.aliases.push_back(entry.name);
    }
    return counts_[known->second].add(entry, host);
  }

  [[nodiscard]] std::vector<Host> take() {
    for (Host& host : hosts_) {
      if (host.carrier.is_this_machine()) add_own_names(host, here_);
    }
    return std::move(hosts_);
  }

 private:
  // A blank and '@' cannot be part of a host's name, so no two hosts share a key.
  static constexpr std::string_view kHere = "@";

  // Of a HostEntry or a Host. A port names one sshd, which may well be that of a container: such an
  // entry is never "here" by its name.
  template <class Written>
  [[nodiscard]] bool is_called_here(const Written& one) const {
    return one.port == 0 && local_.contains(one.name);
  }

  template <class Written>
  [[nodiscard]] std::string written_key(const Written& one) const {
    if (is_called_here(one) && !spec_.names_are_hosts) return std::string(kHere);
    return fmt::format("{}@{} {}", one.user, one.name, one.port);
  }

  [[nodiscard]] bool is_here(const HostEntry& entry) const {
    return spec_.names_are_hosts ? is_called_here(entry) : key(entry) == kHere;
  }

  // Each join was found out later than those that it leads to: there is no circle.
  [[nodiscard]] std::string key(const HostEntry& entry) const {
    std::string own = written_key(entry);
    for (auto found = joined_.find(own); found != joined_.end(); found = joined_.find(own)) {
      own = found->second;
    }
    return own;
  }

  [[nodiscard]] Host first(const HostEntry& entry, bool is_here) const {
    Host host{entry.name, entry.user, entry.port, spec_.source.carrier, 0, {}, {}, entry.place};
    host.visible = entry.visible;
    host.component = entry.component;
    if (here_.has_head_above && host.carrier == model::kOpened) host.carrier = model::kAsked;
    if (is_here) {
      host.carrier = carrier_here(spec_);
      host.cpus = cpu_share(here_.cpus, 1);
      host.topology = here_.topology;
      host.numa = here_.numa;
    }
    return host;
  }

  const JobSpec& spec_;
  const ThisMachine& here_;
  std::unordered_set<std::string_view> local_;  // views into ThisMachine, which outlives this
  std::unordered_map<std::string, std::string> joined_;  // keys of hosts that are another
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<Host> hosts_;
  std::vector<SlotCount> counts_;  // of each host
};

base::Result<void> check_bounds(const Host& host, base::Fault fault) {
  if (host.slots == 0) {
    return base::fail_at(host.place, fault, {}, "slots of {} must be from 1 to {}, not 0",
                         host.name, model::kRanksMax);
  }
  if (host.max_slots && *host.max_slots < host.slots) {
    return base::fail_at(
        host.place, fault,
        fmt::format("give {} max_slots={} or more, or fewer slots", host.name, host.slots),
        "max_slots of {} is {}, below its {} slots", host.name, *host.max_slots, host.slots);
  }
  return {};
}

// Fake nodes under names that were given to them before.
void rehearse(const std::vector<Host*>& hosts, const ThisMachine& here) {
  const auto count = static_cast<std::uint32_t>(hosts.size());
  const FakeShares shares(here.topology, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Host& host = *hosts[i];
    host.carrier = model::kFakeNode;
    host.cpus = cpu_share(here.cpus, count);
    host.topology = shares.of(i);
    host.numa = here.numa;
  }
}

// All hosts, or this machine's, where several of its names are a host each.
std::vector<Host*> rehearsed(Inventory& inventory, const JobSpec& spec) {
  std::vector<Host*> hosts;
  for (Host& host : inventory.hosts) {
    if (spec.fake_hosts || host.carrier == model::kLocal) hosts.push_back(&host);
  }
  return spec.fake_hosts || hosts.size() > 1 ? hosts : std::vector<Host*>();
}

base::Result<Inventory> listed(const JobSpec& spec, const ThisMachine& here) {
  HostMerger merger(spec, here);
  for (const HostEntry& entry : spec.hosts) {
    const auto added = merger.add(entry);
    if (!added) return tl::unexpected(added.error());
  }
  Inventory inventory{merger.take(), spec.source, spec.source_name};
  for (const Host& host : inventory.hosts) {
    auto bounds =
        check_bounds(host, spec.source.is_file ? base::Fault::bad_file : base::Fault::usage);
    if (!bounds) return tl::unexpected(bounds.error());
  }
  rehearse(rehearsed(inventory, spec), here);
  return inventory;
}

}  // namespace

base::Result<Inventory> inventory(const JobSpec& spec, const ThisMachine& here) {
  if (spec.per_node == 0U) {
    return base::fail(base::Fault::usage, {}, "--per-node must be from 1 to {}, not 0",
                      model::kRanksMax);
  }
  if (!spec.hosts.empty()) return listed(spec, here);
  if (spec.fake_nodes > 0) return fake_nodes(spec, here);
  return only_here(spec, here);
}

}  // namespace muster::plan
