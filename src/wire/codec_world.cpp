// World: nodes and ranks as columns and runs, and each variable once.
#include <algorithm>
#include <limits>

#include "wire/codec_parts.hpp"
#include "wire/frame.hpp"

namespace muster::wire {
namespace {

// A column of one entry stands for all nodes.
template <class Column, class Values>
void write_column(Column& to, const Values& values) {
  const bool alike =
      std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end();
  const std::size_t count = alike ? std::min<std::size_t>(values.size(), 1) : values.size();
  to.Reserve(static_cast<int>(count));
  for (std::size_t i = 0; i < count; ++i) *to.Add() = values[i];
}

std::size_t bytes_of(std::uint32_t) { return sizeof(std::uint32_t); }
std::size_t bytes_of(const std::string& text) { return sizeof(std::string) + text.size(); }

// A short message must not stand for more than a long one could hold.
template <class Column>
auto read_column(const char* name, Column& in, std::size_t nodes, Bounds& bounds) {
  std::vector<typename Column::value_type> values;
  if (in.size() != 1) bounds.equal(name, static_cast<std::size_t>(in.size()), nodes);
  if (bounds.complaint() || nodes == 0) return values;
  if (in.size() != 1) {
    values.assign(std::make_move_iterator(in.begin()), std::make_move_iterator(in.end()));
    return values;
  }
  const auto all = static_cast<std::int64_t>(nodes * bytes_of(*in.begin()));
  bounds.at_most(name, all, kControlMax);
  if (!bounds.complaint()) values.assign(nodes, *in.begin());
  return values;
}

// ---- nodes and ranks ----------------------------------------------------------------------------

void write_runs(proto::World& to, const model::Plan& plan) {
  std::int32_t before = -1;
  for (std::size_t i = 0; i < plan.ranks.size();) {
    const base::NodeIndex node = plan.ranks[i].node;
    std::uint32_t count = 0;
    for (; i < plan.ranks.size() && plan.ranks[i].node == node; ++i) ++count;
    to.add_run_steps(static_cast<std::int32_t>(node.value) - before);
    to.add_run_ranks(count);
    before = static_cast<std::int32_t>(node.value);
  }
}

void write_plan(proto::World& to, const model::Plan& plan) {
  std::vector<std::uint32_t> slots;
  to.mutable_hosts()->Reserve(static_cast<int>(plan.nodes.size()));
  for (const model::PlannedNode& node : plan.nodes) {
    to.add_hosts(node.host.name);
    slots.push_back(node.host.slots);
  }
  write_column(*to.mutable_slots(), slots);
  write_runs(to, plan);
  to.set_universe(plan.universe);
}

// The ranks of one run.
void add_run(model::Plan& plan, std::uint32_t node, std::uint32_t count) {
  std::vector<base::Rank>& there = plan.nodes[node].ranks;
  for (std::uint32_t i = 0; i < count; ++i) {
    there.emplace_back(plan.ranks.size());
    plan.ranks.push_back({base::NodeIndex(node), static_cast<std::uint32_t>(there.size() - 1)});
  }
}

void read_runs(const proto::World& in, model::Plan& plan, Bounds& bounds) {
  bounds.equal("number of runs", static_cast<std::uint64_t>(in.run_ranks_size()),
               static_cast<std::uint64_t>(in.run_steps_size()));
  std::int64_t node = -1;
  for (int i = 0; i < in.run_steps_size() && !bounds.complaint(); ++i) {
    node += in.run_steps(i);
    if (plan.nodes.empty()) bounds.at_least("number of nodes", 0, 1);
    if (bounds.complaint()) return;
    const auto at = static_cast<std::uint32_t>(plan.nodes.size() - 1);
    node = bounds.at_most("node of ranks", node, at);
    const std::uint64_t ranks = plan.ranks.size() + std::uint64_t{in.run_ranks(i)};
    bounds.at_most("number of ranks", static_cast<std::int64_t>(ranks), model::kRanksMax);
    if (!bounds.complaint()) add_run(plan, static_cast<std::uint32_t>(node), in.run_ranks(i));
  }
}

// Ranks are numbered through the apps.
void read_apps_of_ranks(const proto::World& in, model::Plan& plan, Bounds& bounds) {
  std::uint64_t count = 0;
  for (const proto::WorldApp& app : in.apps()) count += app.ranks();
  bounds.equal("number of the apps' ranks", count, plan.ranks.size());
  if (bounds.complaint()) return;
  std::size_t rank = 0;
  for (int app = 0; app < in.apps_size(); ++app) {
    const std::size_t end = rank + in.apps(app).ranks();
    for (; rank < end; ++rank) plan.ranks[rank].app = static_cast<std::uint32_t>(app);
  }
}

model::Plan read_plan(proto::World& in, Bounds& bounds) {
  model::Plan plan;
  const auto nodes = bounds.at_most("number of nodes", in.hosts_size(), model::kRanksMax);
  const auto slots = read_column("column of slots", *in.mutable_slots(), nodes, bounds);
  if (bounds.complaint()) return plan;
  plan.nodes.resize(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    plan.nodes[i].host.name = std::move(*in.mutable_hosts(static_cast<int>(i)));
    plan.nodes[i].host.slots = slots[i];
  }
  plan.universe = in.universe();
  read_runs(in, plan, bounds);
  read_apps_of_ranks(in, plan, bounds);
  return plan;
}

// ---- programs and their variables ---------------------------------------------------------------

void write(proto::WorldApp& to, const model::App& app, const KeptIndexes& kept) {
  for (const std::string& word : app.command) to.add_command(word);
  to.set_workdir(app.workdir);
  to.set_path(app.path);
  to.set_tries_workdir(app.tries_workdir);
  for (const model::EnvSetting& one : app.exports) to.add_exports(one.name);
  to.set_role(app.role);
  to.set_local_words(static_cast<std::uint32_t>(app.local_rank_words.first));
  to.set_local_word_count(static_cast<std::uint32_t>(app.local_rank_words.count));
  to.set_python_program(app.python_program);
  to.set_python_environment(app.python_environment);
  to.set_clean(app.clean);
  to.set_python_path(app.python_path);
  to.mutable_kept()->Add(kept.from_shell.begin(), kept.from_shell.end());
  to.mutable_added()->Add(kept.added.begin(), kept.added.end());
}

void write_apps(proto::World& to, const World& world) {
  for (std::size_t i = 0; i < world.spec.apps.size(); ++i) {
    write(*to.add_apps(), world.spec.apps[i], world.kept[i]);
  }
  for (const model::PlannedRank& rank : world.plan.ranks) {
    auto& app = *to.mutable_apps(static_cast<int>(rank.app));
    app.set_ranks(app.ranks() + 1);
  }
  write_variables(*to.mutable_variables(), world.variables);
}

model::App read(proto::WorldApp& in, Bounds& bounds) {
  bounds.at_least("words of a command", in.command_size(), 1);
  model::App app;
  app.command = read_texts(*in.mutable_command());
  app.workdir = std::move(*in.mutable_workdir());
  app.path = std::move(*in.mutable_path());
  app.tries_workdir = in.tries_workdir();
  for (std::string& name : *in.mutable_exports()) app.exports.push_back({std::move(name), {}});
  app.role = std::move(*in.mutable_role());
  app.local_rank_words = {in.local_words(), in.local_word_count()};
  app.python_program = std::move(*in.mutable_python_program());
  app.python_environment = std::move(*in.mutable_python_environment());
  app.clean = in.clean();
  app.python_path = std::move(*in.mutable_python_path());
  return app;
}

// `bytes`: what all lists so far stand for.
template <class Indexes>
std::vector<std::uint32_t> read_kept(const Indexes& in, const std::vector<NameValue>& variables,
                                     std::size_t& bytes, Bounds& bounds) {
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t index : in) {
    if (!kept.empty()) bounds.at_least("index of a variable", index, kept.back() + 1);
    if (index >= variables.size())
      bounds.equal("number of variables", variables.size(), index + 1U);
    if (bounds.complaint()) return kept;
    kept.push_back(index);
    const NameValue& one = variables[index];
    bytes += 2 * sizeof(std::string) + one.name.size() + one.value.size();
    bounds.at_most("bytes of the apps' variables", static_cast<std::int64_t>(bytes), kControlMax);
  }
  return kept;
}

void read_apps(proto::World& in, World& world, Bounds& bounds) {
  world.variables = read_variables(*in.mutable_variables());
  std::size_t bytes = 0;
  for (proto::WorldApp& app : *in.mutable_apps()) {
    world.spec.apps.push_back(read(app, bounds));
    KeptIndexes& kept = world.kept.emplace_back();
    kept.from_shell = read_kept(app.kept(), world.variables, bytes, bounds);
    kept.added = read_kept(app.added(), world.variables, bytes, bounds);
    if (bounds.complaint()) return;
  }
}

// ---- what was asked -----------------------------------------------------------------------------

void write_spec(proto::World& to, const model::JobSpec& spec) {
  for (const std::string& name : spec.environment.unset) to.add_unset(name);
  for (const std::string& one : spec.environment.silent.value_or(std::vector<std::string>()))
    to.add_silent(one);
  to.set_hostfile(spec.hostfile);
  for (const std::string& name : spec.launchers) to.add_launchers(name);
  for (const std::string& folder : spec.folders) to.add_folders(folder);
  to.set_python_hook(spec.python_errors);
  to.set_gpus_per_rank(spec.gpus_per_rank);
  to.set_deepspeed(spec.deepspeed);
  to.set_lone_ranks_start_workers(spec.lone_ranks_start_workers);
  to.set_max_restarts(spec.max_restarts);
  to.set_roles(static_cast<std::uint32_t>(spec.roles));
  to.set_wireup(static_cast<std::uint32_t>(spec.wireup));
  if (spec.terminal) {
    to.mutable_terminal()->set_columns(spec.terminal->columns);
    to.mutable_terminal()->set_rows(spec.terminal->rows);
  }
  if (const model::MemoryWish& memory = spec.mapping.memory; memory != model::MemoryWish()) {
    to.mutable_memory()->set_mode(static_cast<std::uint32_t>(memory.mode));
    to.mutable_memory()->set_nodes(model::to_string(memory.nodes));
    to.mutable_memory()->set_own_nodes(memory.own_nodes);
    to.mutable_memory()->set_if_refused(static_cast<std::uint32_t>(memory.if_refused));
  }
  if (spec.gloo) {
    to.mutable_gloo()->set_interface(spec.gloo->interface);
    to.mutable_gloo()->set_only(spec.gloo->only);
  }
  if (!spec.torch) return;
  to.mutable_torch()->set_run_id(spec.torch->run_id);
  to.mutable_torch()->set_own_id(spec.torch->own_id);
  to.mutable_torch()->set_max_restarts(spec.torch->max_restarts);
}

std::optional<model::TerminalSize> read_terminal(const proto::World& in, Bounds& bounds) {
  if (!in.has_terminal()) return std::nullopt;
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();
  const auto side = [&](const char* name, std::uint32_t value) {
    return static_cast<std::uint16_t>(bounds.at_most(name, value, kMost));
  };
  return model::TerminalSize{side("columns of a terminal", in.terminal().columns()),
                             side("rows of a terminal", in.terminal().rows())};
}

template <class Kind>
Kind read_kind(const char* name, std::uint32_t value, Kind last, Bounds& bounds) {
  return static_cast<Kind>(bounds.at_most(name, value, static_cast<std::uint32_t>(last)));
}

model::MemoryWish read_memory(const proto::Memory& in, Bounds& bounds) {
  return {.mode = read_kind("memory mode", in.mode(), model::MemoryMode::bind, bounds),
          .nodes = bounds.cpus(in.nodes()),
          .own_nodes = in.own_nodes(),
          .if_refused =
              read_kind("memory, if refused", in.if_refused(), model::IfRefused::ignore, bounds)};
}

void read_spec(proto::World& in, model::JobSpec& spec, Bounds& bounds) {
  spec.environment = {read_texts(*in.mutable_unset()), std::nullopt};
  if (in.silent_size() > 0) spec.environment.silent = read_texts(*in.mutable_silent());
  spec.hostfile = std::move(*in.mutable_hostfile());
  spec.launchers = read_texts(*in.mutable_launchers());
  spec.folders = read_texts(*in.mutable_folders());
  spec.python_errors = in.python_hook();
  spec.gpus_per_rank = in.gpus_per_rank();
  spec.deepspeed = in.deepspeed();
  spec.lone_ranks_start_workers = in.lone_ranks_start_workers();
  spec.max_restarts = in.max_restarts();
  spec.roles = read_kind("roles", in.roles(), model::Roles::mindspore, bounds);
  spec.wireup = read_kind("wire-up", in.wireup(), model::Wireup::none, bounds);
  spec.terminal = read_terminal(in, bounds);
  if (in.has_memory()) spec.mapping.memory = read_memory(in.memory(), bounds);
  if (in.has_gloo()) {
    spec.gloo = {std::move(*in.mutable_gloo()->mutable_interface()), in.gloo().only()};
  }
  if (!in.has_torch()) return;
  spec.torch = {std::move(*in.mutable_torch()->mutable_run_id()), in.torch().own_id(),
                in.torch().max_restarts()};
}

// ---- where ranks meet, and MPI ------------------------------------------------------------------

void write_meeting(proto::World& to, const World& world) {
  const model::MeetingPoint& point = world.point;
  to.set_address(point.address);
  to.set_port(point.port);
  write_column(*to.mutable_addresses(), point.addresses);
  for (const std::uint16_t port : world.rank_ports) to.add_rank_ports(port);
  to.set_round(point.round);
  to.set_among_hosts(point.among_hosts);
  to.set_deadline(point.deadline);
  to.set_gloo_address(point.gloo_address);
  to.set_gloo_port(point.gloo_port);
}

void read_meeting(proto::World& in, World& world, Bounds& bounds) {
  model::MeetingPoint& point = world.point;
  point.address = std::move(*in.mutable_address());
  point.port = std::move(*in.mutable_port());
  const std::size_t nodes = world.plan.nodes.size();
  point.addresses = read_column("column of addresses", *in.mutable_addresses(), nodes, bounds);
  if (in.rank_ports_size() > 0) {
    bounds.equal("number of ports", static_cast<std::uint64_t>(in.rank_ports_size()),
                 world.plan.ranks.size());
    if (!bounds.complaint()) world.rank_ports = bounds.ports(in.rank_ports());
  }
  point.round = in.round();
  point.among_hosts = in.among_hosts();
  point.deadline = std::move(*in.mutable_deadline());
  point.gloo_address = std::move(*in.mutable_gloo_address());
  point.gloo_port = std::move(*in.mutable_gloo_port());
}

void write_mpi(proto::World& to, const World& world) {
  to.set_kvs(world.kvs);
  to.set_mapping(world.mapping);
  to.set_nspace(world.nspace);
  to.set_spawner(world.spawner);
  write_variables(*to.mutable_preput(), world.preput);
}

void read_mpi(proto::World& in, World& world) {
  world.kvs = std::move(*in.mutable_kvs());
  world.mapping = std::move(*in.mutable_mapping());
  world.nspace = std::move(*in.mutable_nspace());
  world.spawner = std::move(*in.mutable_spawner());
  world.preput = read_variables(*in.mutable_preput());
}

}  // namespace

void write_world(proto::World& to, const World& world) {
  to.set_number(world.number);
  to.set_first(world.first.value);
  to.set_job(world.job);
  write_apps(to, world);
  write_plan(to, world.plan);
  write_spec(to, world.spec);
  write_meeting(to, world);
  write_mpi(to, world);
  to.set_window(world.window);
}

World read_world(proto::World& in, Bounds& bounds) {
  World world;
  world.number = bounds.world(in.number());
  world.first = bounds.rank(in.first());
  world.job = std::move(*in.mutable_job());
  read_apps(in, world, bounds);
  world.plan = read_plan(in, bounds);
  const std::uint64_t end = world.first.value + std::uint64_t{world.plan.ranks.size()};
  bounds.at_most("number of the last rank", static_cast<std::int64_t>(end), model::kRanksMax);
  read_spec(in, world.spec, bounds);
  read_meeting(in, world, bounds);
  read_mpi(in, world);
  world.window = in.window();
  return world;
}

}  // namespace muster::wire
