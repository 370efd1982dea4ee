// Picks from spec, plan and facts what agents need.
#include "machine/orders.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "plan/devices.hpp"

namespace muster::machine {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Each variable once, however many apps have it; by name, so that indexes ascend with names.
class VariableTable {
 public:
  void add(std::string_view name, std::string_view value) { index_.try_emplace({name, value}, 0); }

  std::vector<wire::NameValue> number() {
    std::vector<wire::NameValue> all;
    for (auto& [pair, index] : index_) {
      index = static_cast<std::uint32_t>(all.size());
      all.push_back({std::string(pair.first), std::string(pair.second)});
    }
    return all;
  }

  [[nodiscard]] std::uint32_t index(std::string_view name, std::string_view value) const {
    return index_.at({name, value});
  }

 private:
  std::map<Pair, std::uint32_t> index_;
};

model::App told_of(const model::App& app) {
  model::App told;
  told.command = app.command;
  told.clean = app.clean;
  told.workdir = app.workdir;
  told.path = app.path;
  told.python_path = app.python_path;
  told.tries_workdir = app.tries_workdir;
  told.role = app.role;
  told.local_rank_words = app.local_rank_words;
  told.python_program = app.python_program;
  told.python_environment = app.python_environment;
  for (const model::EnvSetting& one : app.exports) told.exports.push_back({one.name, {}});
  return told;
}

model::JobSpec told_of(const model::JobSpec& spec) {
  model::JobSpec told = wire::without_apps();
  for (const model::App& app : spec.apps) told.apps.push_back(told_of(app));
  told.environment = spec.environment;
  told.hostfile = spec.hostfile;
  told.launchers = spec.launchers;
  told.folders = spec.folders;
  told.terminal = spec.terminal;
  told.python_errors = spec.python_errors;
  told.gpus_per_rank = spec.gpus_per_rank;
  told.mapping.memory = spec.mapping.memory;
  told.deepspeed = spec.deepspeed;
  told.lone_ranks_start_workers = spec.lone_ranks_start_workers;
  told.max_restarts = spec.max_restarts;
  told.roles = spec.roles;
  told.wireup = spec.wireup;
  told.gloo = spec.gloo;
  told.torch = spec.torch;
  return told;
}

model::Plan told_of(const model::Plan& plan) {
  model::Plan told;
  told.universe = plan.universe;
  told.nodes.reserve(plan.nodes.size());
  for (const model::PlannedNode& node : plan.nodes) {
    model::PlannedNode& one = told.nodes.emplace_back();
    one.host.name = node.host.name;
    one.host.slots = node.host.slots;
    one.ranks = node.ranks;
  }
  told.ranks = plan.ranks;
  for (model::PlannedRank& rank : told.ranks) rank.binding = model::kUnbound;
  return told;
}

std::vector<std::uint16_t> rank_ports(const OrdersFor& world) {
  std::vector<std::uint16_t> ports;
  if (world.spec.roles == model::Roles::none) return ports;
  for (const model::PlannedRank& rank : world.plan.ranks) {
    ports.push_back(world.where.rank_ports[rank.node.value]->at(rank.local_rank));
  }
  return ports;
}

void tell_variables(const std::vector<plan::Forwarded>& apps, wire::World& told) {
  VariableTable table;
  for (const plan::Forwarded& app : apps) {
    for (const model::Variable& one : app.kept) table.add(one.name, one.value);
  }
  told.variables = table.number();
  for (const plan::Forwarded& app : apps) {
    auto& indexes = told.kept.emplace_back().from_shell;
    for (const model::Variable& one : app.kept) indexes.push_back(table.index(one.name, one.value));
  }
}

// They come after the others, which keep their numbers.
void tell_wanted(const wire::Spawn& wanted, wire::World& told) {
  for (std::size_t app = 0; app < wanted.apps.size(); ++app) {
    for (const wire::NameValue& one : wanted.apps[app].environment) {
      told.kept[app].added.push_back(static_cast<std::uint32_t>(told.variables.size()));
      told.variables.push_back(one);
    }
  }
  told.preput = wanted.preput;
}

wire::World world_of(const OrdersFor& world, const std::vector<plan::Forwarded>& kept) {
  wire::World told;
  told.number = world.placed.world.number;
  told.first = world.placed.world.first;
  told.job = world.job;
  told.spec = told_of(world.spec);
  told.plan = told_of(world.plan);
  tell_variables(kept, told);
  told.point = world.where.point;
  told.rank_ports = rank_ports(world);
  told.kvs = world.placed.name;
  told.mapping = world.placed.mapping;
  told.nspace = world.nspace;
  told.spawner = world.spawner;
  if (world.wanted != nullptr) tell_wanted(*world.wanted, told);
  told.window = world.window;
  return told;
}

// The sets of cpus that the ranks of a node are bound to, under numbers of its own.
void tell_bindings(const OrdersFor& world, const std::vector<base::Rank>& ranks,
                   wire::Prepare& told) {
  std::map<std::uint32_t, std::uint32_t> numbers;  // in the plan, and here
  for (const base::Rank rank : ranks) {
    const std::uint32_t set = world.plan.ranks[rank.value].binding;
    const auto next = static_cast<std::uint32_t>(told.sets.size());
    const auto [number, is_new] = numbers.try_emplace(set, set == model::kUnbound ? set : next);
    if (is_new && set != model::kUnbound) told.sets.push_back(world.plan.sets[set]);
    told.bindings.push_back(number->second);
  }
  if (told.sets.empty()) told.bindings.clear();
}

}  // namespace

std::vector<ToNodes> told_to_all(const OrdersFor& world) {
  std::vector<base::NodeIndex> same_machine, elsewhere;
  for (std::size_t i = 0; i < world.plan.nodes.size(); ++i) {
    const bool same = world.plan.nodes[i].host.carrier.same_machine;
    (same ? same_machine : elsewhere).push_back(world.placed.nodes[i]);
  }
  std::vector<ToNodes> told;
  if (!same_machine.empty()) {
    told.push_back({std::move(same_machine), world_of(world, world.kept.same_machine)});
  }
  if (elsewhere.empty()) return told;
  told.push_back({std::move(elsewhere), world_of(world, world.kept.elsewhere)});
  return told;
}

wire::Prepare told_to(base::NodeIndex node, const OrdersFor& world,
                      const std::vector<base::Rank>& fed) {
  const model::PlannedNode& planned = world.plan.nodes[node.value];
  const plan::Rendezvous& where = world.where;
  wire::Prepare told;
  told.world = world.placed.world.number;
  told.node = node;
  told.interface = where.interfaces[node.value];
  told.cpus = where.cpus[node.value].value_or(model::Cpus());
  told.rdma = where.rdma[node.value];
  told.visible = plan::shown_of_named(world.spec, planned, where, node);
  const bool deals_devices = world.spec.gpus_per_rank > 0;
  if (deals_devices)
    told.devices = where.devices[node.value].value_or(std::vector<model::Devices>());
  for (std::uint32_t local = 0; local < planned.ranks.size(); ++local) {
    if (std::ranges::binary_search(fed, planned.ranks[local])) told.fed.push_back(local);
  }
  tell_bindings(world, planned.ranks, told);
  return told;
}

}  // namespace muster::machine
