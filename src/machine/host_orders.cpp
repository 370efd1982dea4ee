// Puts what all hosts know and what is this host's own together.
#include "machine/host_orders.hpp"

#include <algorithm>
#include <utility>

#include "machine/pmix_jobs.hpp"
#include "machine/wireup.hpp"
#include "plan/local_rank_words.hpp"

namespace muster::machine {

namespace {

using base::Rank;

base::Result<void> check_own(const wire::World& world, const wire::Prepare& own) {
  const auto contradiction = [](std::string what) {
    return base::fail(base::Fault::internal, wire::kOtherVersion, "{}", what);
  };
  if (own.world != world.number) {
    return contradiction(fmt::format("world {} was ordered, but not described", own.world));
  }
  if (own.node.value >= world.plan.nodes.size()) {
    return contradiction(fmt::format("there is no node {} in world {}, which has {}",
                                     own.node.value, own.world, world.plan.nodes.size()));
  }
  const std::size_t ranks = world.plan.nodes[own.node.value].ranks.size();
  const auto is_set = [&](std::uint32_t set) {
    return set == model::kUnbound || set < own.sets.size();
  };
  const bool bound = own.bindings.size() == ranks && std::ranges::all_of(own.bindings, is_set);
  if (!bound && !own.bindings.empty()) return contradiction("the bindings do not match the ranks");
  return {};
}

model::Plan plan_of(const wire::World& world, const wire::Prepare& own) {
  model::Plan plan = world.plan;
  model::PlannedNode& here = plan.nodes[own.node.value];
  here.host.visible = own.visible;
  plan.sets = own.sets;
  for (std::size_t local = 0; local < own.bindings.size(); ++local) {
    plan.ranks[here.ranks[local].value].binding = own.bindings[local];
  }
  return plan;
}

// By node, as roles() look for them.
std::vector<std::optional<std::vector<std::uint16_t>>> ports_by_node(const wire::World& world) {
  std::vector<std::optional<std::vector<std::uint16_t>>> ports(world.plan.nodes.size());
  if (world.rank_ports.empty()) return ports;
  for (std::size_t node = 0; node < ports.size(); ++node) {
    auto& there = ports[node].emplace();
    for (const Rank rank : world.plan.nodes[node].ranks) {
      there.push_back(world.rank_ports[rank.value]);
    }
  }
  return ports;
}

// Of other nodes only addresses and ports matter here.
plan::Rendezvous rendezvous_of(const wire::World& world, const wire::Prepare& own) {
  const std::size_t nodes = world.plan.nodes.size();
  plan::Rendezvous where;
  where.point = world.point;
  where.rank_ports = ports_by_node(world);
  where.interfaces.resize(nodes);
  where.interfaces[own.node.value] = own.interface;
  where.cpus.resize(nodes);
  where.cpus[own.node.value] = own.cpus;
  where.rdma.resize(nodes);
  where.rdma[own.node.value] = own.rdma;
  where.devices.resize(nodes);
  where.devices[own.node.value] = own.devices;
  return where;
}

plan::Forwarded kept_of(const wire::World& world, std::size_t app) {
  plan::Forwarded forwarded;
  for (const std::uint32_t index : world.kept[app].from_shell) {
    const wire::NameValue& one = world.variables[index];
    forwarded.kept.push_back({one.name, one.value, {}});
  }
  return forwarded;
}

std::vector<wire::NameValue> variables_of(const wire::World& world, const wire::KeptIndexes& kept) {
  std::vector<wire::NameValue> variables;
  variables.reserve(kept.from_shell.size() + kept.added.size());
  for (const auto* indexes : {&kept.from_shell, &kept.added}) {
    for (const std::uint32_t index : *indexes) variables.push_back(world.variables[index]);
  }
  return variables;
}

std::shared_ptr<const RankVariables> rank_variables(const wire::World& world,
                                                    const wire::Prepare& own) {
  RankSources of{world.spec, plan_of(world, own), rendezvous_of(world, own), world.job, {}};
  for (std::size_t app = 0; app < world.spec.apps.size(); ++app) {
    of.kept.push_back(kept_of(world, app));
  }
  return std::make_shared<const RankVariables>(std::move(of), own.node);
}

std::vector<AppOrder> app_orders(const wire::World& world, const RankVariables& variables) {
  std::vector<AppOrder> orders;
  for (std::uint32_t i = 0; i < world.spec.apps.size(); ++i) {
    const model::App& app = world.spec.apps[i];
    orders.push_back({app.command, app.workdir, app.path, variables_of(world, world.kept[i]),
                      variables.common(i), app.tries_workdir, app.python_program,
                      app.python_environment, app.clean, app.python_path});
  }
  return orders;
}

// Nothing when they are those of its app.
std::vector<std::string> own_words(const model::App& app, std::uint32_t local_rank) {
  if (app.local_rank_words.count == 0) return {};
  auto words = plan::with_local_rank(app.command, app.local_rank_words, local_rank);
  if (words == app.command) words.clear();
  return words;
}

std::vector<TaskOrder> task_orders(const wire::World& world, const wire::Prepare& own) {
  std::vector<TaskOrder> orders;
  const std::vector<Rank>& here = world.plan.nodes[own.node.value].ranks;
  orders.reserve(here.size());
  for (std::uint32_t local = 0; local < here.size(); ++local) {
    const std::uint32_t app = world.plan.ranks[here[local].value].app;
    TaskOrder& order = orders.emplace_back();
    order.rank = Rank(world.first.value + here[local].value);
    order.app = app;
    order.command = own_words(world.spec.apps[app], local);
    if (own.bindings.empty() || own.bindings[local] == model::kUnbound) continue;
    order.cpus = own.sets[own.bindings[local]];
  }
  for (const std::uint32_t local : own.fed) {
    if (local < orders.size()) orders[local].input = true;
  }
  return orders;
}

WireupOrders wireup_orders(const wire::World& world, const wire::Prepare& own) {
  WireupOrders orders;
  orders.pmi = serves_pmi(world.spec.wireup);
  orders.name = world.kvs;
  orders.size = static_cast<std::uint32_t>(world.plan.ranks.size());
  orders.universe = world.plan.universe;
  orders.mapping = world.mapping;
  orders.pmix_jobs = own.earlier;
  orders.world = world.number;
  orders.first = world.first;
  orders.spawner = world.spawner;
  orders.preput = world.preput;
  if (world.nspace.empty()) return orders;
  auto job = first_job(world.plan, world.spec.apps, world.nspace);
  orders.pmix_jobs = {
      {std::make_shared<const wire::pmix::Job>(std::move(job)), own.node.value, {}}};
  return orders;
}

}  // namespace

base::Result<HostOrders> host_orders(const wire::World& world, const wire::Prepare& own) {
  if (const auto sound = check_own(world, own); !sound) return tl::unexpected(sound.error());
  const model::JobSpec& spec = world.spec;
  HostOrders orders;
  orders.variables = rank_variables(world, own);
  orders.apps = app_orders(world, *orders.variables);
  orders.tasks = task_orders(world, own);
  orders.wireup = wireup_orders(world, own);
  orders.environment = spec.environment;
  orders.hostfile = spec.hostfile.empty() ? plan::hostfile_text(world.plan) : spec.hostfile;
  orders.window = world.window;
  orders.error_files = spec.torch.has_value();
  orders.python_hook = spec.python_errors;
  orders.launchers = spec.launchers;
  orders.folders = spec.folders;
  orders.held_port = own.held_port;
  orders.terminal = spec.terminal;
  orders.claims = own.claims;
  orders.device_claims = own.device_claims;
  orders.memory = spec.mapping.memory;
  return orders;
}

std::vector<Rank> ranks_of(const wire::World& world, base::NodeIndex node) {
  std::vector<Rank> ranks;
  if (node.value >= world.plan.nodes.size()) return ranks;
  for (const Rank own : world.plan.nodes[node.value].ranks) {
    ranks.emplace_back(world.first.value + own.value);
  }
  return ranks;
}

}  // namespace muster::machine
