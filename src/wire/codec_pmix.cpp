// PMIx's part of the codec: upcalls and commands to messages and back.
#include <limits>

#include "model/job_spec.hpp"
#include "wire/codec_parts.hpp"

namespace muster::wire {
namespace {

// ---- what several of them hold ------------------------------------------------------------------

void write(proto::PmixProc& to, const pmix::Proc& proc) {
  to.set_nspace(proc.nspace);
  to.set_rank(proc.rank);
}

pmix::Proc read(proto::PmixProc& in) { return {std::move(*in.mutable_nspace()), in.rank()}; }

template <class Repeated>
void write_procs(Repeated& out, const std::vector<pmix::Proc>& procs) {
  out.Reserve(static_cast<int>(procs.size()));
  for (const pmix::Proc& proc : procs) write(*out.Add(), proc);
}

template <class Repeated>
std::vector<pmix::Proc> read_procs(Repeated& in, Bounds& bounds) {
  std::vector<pmix::Proc> procs;
  procs.reserve(bounds.at_most("number of processes", in.size(), model::kRanksMax));
  if (bounds.complaint()) return procs;
  for (proto::PmixProc& proc : in) procs.push_back(read(proc));
  return procs;
}

template <class Repeated>
void write_data(Repeated& out, const std::vector<pmix::Datum>& data) {
  for (const pmix::Datum& datum : data) {
    proto::PmixDatum& one = *out.Add();
    write(*one.mutable_owner(), datum.owner);
    one.set_key(datum.key);
    one.set_blob(datum.blob);
  }
}

template <class Repeated>
std::vector<pmix::Datum> read_data(Repeated& in, Bounds& bounds) {
  std::vector<pmix::Datum> data;
  data.reserve(bounds.at_most("number of values", in.size(), model::kRanksMax));
  if (bounds.complaint()) return data;
  for (proto::PmixDatum& one : in) {
    data.push_back({read(*one.mutable_owner()), std::move(*one.mutable_key()),
                    std::move(*one.mutable_blob())});
  }
  return data;
}

// Both ways: Finalized, Modex, FetchModex.
template <class Asking>
void write_ask(proto::PmixAsk& to, const Asking& asking) {
  to.set_ticket(asking.ticket);
  write(*to.mutable_proc(), asking.proc);
}

template <class Asking>
Asking read_ask(proto::PmixAsk& in) {
  return {in.ticket(), read(*in.mutable_proc())};
}

// Both ways: ModexFound, Reply.
template <class Answer>
void write_reply(proto::PmixReply& to, const Answer& answer) {
  to.set_ticket(answer.ticket);
  to.set_status(answer.status);
  to.set_blob(answer.blob);
}

template <class Answer>
Answer read_reply(proto::PmixReply& in) {
  return {in.ticket(), in.status(), std::move(*in.mutable_blob())};
}

void write(proto::PmixEvent& to, const pmix::Event& event) {
  to.set_code(event.code);
  write(*to.mutable_source(), event.source);
  to.set_range(event.range);
  to.set_blob(event.blob);
}

pmix::Event read(proto::PmixEvent& in, Bounds& bounds) {
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint8_t>::max();
  const auto range = static_cast<std::uint8_t>(bounds.at_most("range", in.range(), kMost));
  return {in.code(), read(*in.mutable_source()), range, std::move(*in.mutable_blob())};
}

// ---- up -----------------------------------------------------------------------------------------

void write(proto::PmixUp& out, const pmix::Ready&) { out.mutable_ready(); }

void write(proto::PmixUp& out, const pmix::Broken& broken) {
  out.mutable_broken()->set_what(broken.what);
  out.mutable_broken()->set_hint(broken.hint);
}

void write(proto::PmixUp& out, const pmix::Connected& connected) {
  write(*out.mutable_connected(), connected.proc);
}

void write(proto::PmixUp& out, const pmix::Finalized& one) {
  write_ask(*out.mutable_finalized(), one);
}

void write(proto::PmixUp& out, const pmix::Aborted& aborted) {
  proto::PmixAborted& to = *out.mutable_aborted();
  to.set_ticket(aborted.ticket);
  write(*to.mutable_proc(), aborted.proc);
  to.set_code(aborted.code);
  to.set_message(aborted.message);
  write_procs(*to.mutable_victims(), aborted.victims);
}

pmix::Aborted read(proto::PmixAborted& in, Bounds& bounds) {
  return {in.ticket(), read(*in.mutable_proc()), in.code(), std::move(*in.mutable_message()),
          read_procs(*in.mutable_victims(), bounds)};
}

void write(proto::PmixUp& out, const pmix::Fence& fence) {
  proto::PmixFence& to = *out.mutable_fence();
  to.set_ticket(fence.ticket);
  write_procs(*to.mutable_procs(), fence.procs);
  to.set_blob(fence.blob);
}

pmix::Fence read(proto::PmixFence& in, Bounds& bounds) {
  return {in.ticket(), read_procs(*in.mutable_procs(), bounds), std::move(*in.mutable_blob())};
}

void write(proto::PmixUp& out, const pmix::Modex& modex) { write_ask(*out.mutable_modex(), modex); }

void write(proto::PmixUp& out, const pmix::ModexFound& found) {
  write_reply(*out.mutable_modex_found(), found);
}

void write(proto::PmixUp& out, const pmix::Publish& publish) {
  proto::PmixPublish& to = *out.mutable_publish();
  to.set_ticket(publish.ticket);
  write_data(*to.mutable_data(), publish.data);
  to.set_once(publish.once);
}

pmix::Publish read(proto::PmixPublish& in, Bounds& bounds) {
  return {in.ticket(), read_data(*in.mutable_data(), bounds), in.once()};
}

void write(proto::PmixUp& out, const pmix::Lookup& lookup) {
  proto::PmixLookup& to = *out.mutable_lookup();
  to.set_ticket(lookup.ticket);
  for (const std::string& key : lookup.keys) to.add_keys(key);
  to.set_wait(lookup.wait);
}

pmix::Lookup read(proto::PmixLookup& in) {
  return {in.ticket(), read_texts(*in.mutable_keys()), in.wait()};
}

void write(proto::PmixUp& out, const pmix::Unpublish& unpublish) {
  proto::PmixUnpublish& to = *out.mutable_unpublish();
  to.set_ticket(unpublish.ticket);
  write(*to.mutable_proc(), unpublish.proc);
  for (const std::string& key : unpublish.keys) to.add_keys(key);
}

pmix::Unpublish read(proto::PmixUnpublish& in) {
  return {in.ticket(), read(*in.mutable_proc()), read_texts(*in.mutable_keys())};
}

void write(proto::PmixUp& out, const pmix::Connect& connect) {
  proto::PmixConnect& to = *out.mutable_connect();
  to.set_ticket(connect.ticket);
  write_procs(*to.mutable_procs(), connect.procs);
  to.set_apart(connect.apart);
}

pmix::Connect read(proto::PmixConnect& in, Bounds& bounds) {
  return {in.ticket(), read_procs(*in.mutable_procs(), bounds), in.apart()};
}

void write(proto::PmixAppOrder& to, const pmix::AppOrder& order) {
  to.set_command(order.command);
  for (const std::string& word : order.arguments) to.add_arguments(word);
  for (const std::string& entry : order.environment) to.add_environment(entry);
  to.set_count(order.count);
  for (const pmix::SpawnWish& wish : order.wishes) {
    proto::PmixWish& one = *to.add_wishes();
    one.set_key(wish.key);
    one.set_value(wish.value);
  }
}

pmix::AppOrder read(proto::PmixAppOrder& in, Bounds& bounds) {
  pmix::AppOrder order{std::move(*in.mutable_command()),
                       read_texts(*in.mutable_arguments()),
                       read_texts(*in.mutable_environment()),
                       bounds.at_most("number of ranks", in.count(), model::kRanksMax),
                       {}};
  for (proto::PmixWish& one : *in.mutable_wishes()) {
    order.wishes.push_back({std::move(*one.mutable_key()), std::move(*one.mutable_value())});
  }
  return order;
}

void write(proto::PmixUp& out, const pmix::Spawn& spawn) {
  proto::PmixSpawn& to = *out.mutable_spawn();
  to.set_ticket(spawn.ticket);
  write(*to.mutable_proc(), spawn.proc);
  for (const pmix::AppOrder& app : spawn.apps) write(*to.add_apps(), app);
}

pmix::Spawn read(proto::PmixSpawn& in, Bounds& bounds) {
  pmix::Spawn spawn{in.ticket(), read(*in.mutable_proc()), {}};
  for (proto::PmixAppOrder& app : *in.mutable_apps()) spawn.apps.push_back(read(app, bounds));
  return spawn;
}

void write(proto::PmixUp& out, const pmix::Event& event) { write(*out.mutable_event(), event); }

// ---- down ---------------------------------------------------------------------------------------

void write(proto::PmixJob& to, const pmix::Job& job) {
  to.set_nspace(job.nspace);
  for (const pmix::JobNode& node : job.nodes) {
    proto::PmixNode& one = *to.add_nodes();
    one.set_host(node.host);
    one.mutable_ranks()->Add(node.ranks.begin(), node.ranks.end());
  }
  to.set_universe(job.universe);
  for (const pmix::JobApp& app : job.apps) {
    proto::PmixApp& one = *to.add_apps();
    one.set_command(app.command);
    one.set_workdir(app.workdir);
    one.set_size(app.size);
  }
  if (job.parent) write(*to.mutable_parent(), *job.parent);
  to.set_world(job.world);
  to.set_offset(job.offset);
}

// Ranks are counted before any of them is kept.
std::vector<pmix::JobNode> read_nodes(proto::PmixJob& in, Bounds& bounds) {
  bounds.at_least("number of nodes", in.nodes_size(), 1);
  std::int64_t total = 0;
  for (const proto::PmixNode& node : in.nodes()) total += node.ranks_size();
  bounds.at_most("number of nodes", in.nodes_size(), model::kRanksMax);
  bounds.at_most("number of ranks", total, model::kRanksMax);
  std::vector<pmix::JobNode> nodes;
  if (bounds.complaint()) return nodes;
  nodes.reserve(static_cast<std::size_t>(in.nodes_size()));
  for (proto::PmixNode& node : *in.mutable_nodes()) {
    pmix::JobNode& one = nodes.emplace_back();
    one.host = std::move(*node.mutable_host());
    one.ranks.reserve(static_cast<std::size_t>(node.ranks_size()));
    for (const std::uint32_t rank : node.ranks()) one.ranks.push_back(bounds.rank(rank).value);
  }
  return nodes;
}

std::vector<pmix::JobApp> read_apps(proto::PmixJob& in, Bounds& bounds) {
  bounds.at_least("number of apps", in.apps_size(), 1);
  std::vector<pmix::JobApp> apps;
  for (proto::PmixApp& app : *in.mutable_apps()) {
    apps.push_back({std::move(*app.mutable_command()), std::move(*app.mutable_workdir()),
                    bounds.at_most("number of ranks", app.size(), model::kRanksMax)});
  }
  return apps;
}

pmix::Job read(proto::PmixJob& in, Bounds& bounds) {
  pmix::Job job{.nspace = std::move(*in.mutable_nspace()),
                .nodes = read_nodes(in, bounds),
                .universe = in.universe(),
                .apps = read_apps(in, bounds),
                .parent = {},
                .world = bounds.world(in.world()),
                .offset = bounds.rank(in.offset()).value};
  if (in.has_parent()) job.parent = read(*in.mutable_parent());
  return job;
}

void write(proto::PmixDown& out, const pmix::AddJob& add) {
  write_pmix(*out.mutable_add_job(), add);
}

void write(proto::PmixDown& out, const pmix::Reply& reply) {
  write_reply(*out.mutable_reply(), reply);
}

void write(proto::PmixDown& out, const pmix::Found& found) {
  proto::PmixFound& to = *out.mutable_found();
  to.set_ticket(found.ticket);
  to.set_status(found.status);
  write_data(*to.mutable_data(), found.data);
}

pmix::Found read(proto::PmixFound& in, Bounds& bounds) {
  return {in.ticket(), in.status(), read_data(*in.mutable_data(), bounds)};
}

void write(proto::PmixDown& out, const pmix::Spawned& spawned) {
  proto::PmixSpawned& to = *out.mutable_spawned();
  to.set_ticket(spawned.ticket);
  to.set_status(spawned.status);
  to.set_nspace(spawned.nspace);
}

pmix::Spawned read(proto::PmixSpawned& in) {
  return {in.ticket(), in.status(), std::move(*in.mutable_nspace())};
}

void write(proto::PmixDown& out, const pmix::FetchModex& fetch) {
  write_ask(*out.mutable_fetch_modex(), fetch);
}

void write(proto::PmixDown& out, const pmix::Event& event) { write(*out.mutable_event(), event); }

std::optional<pmix::Upcall> read_upcall(proto::PmixUp& in, Bounds& bounds) {
  switch (in.upcall_case()) {
    case proto::PmixUp::kReady:
      return pmix::Ready{};
    case proto::PmixUp::kBroken:
      return pmix::Broken{std::move(*in.mutable_broken()->mutable_what()),
                          std::move(*in.mutable_broken()->mutable_hint())};
    case proto::PmixUp::kConnected:
      return pmix::Connected{read(*in.mutable_connected())};
    case proto::PmixUp::kFinalized:
      return read_ask<pmix::Finalized>(*in.mutable_finalized());
    case proto::PmixUp::kAborted:
      return read(*in.mutable_aborted(), bounds);
    case proto::PmixUp::kSpawn:
      return read(*in.mutable_spawn(), bounds);
    case proto::PmixUp::kFence:
      return read(*in.mutable_fence(), bounds);
    case proto::PmixUp::kModex:
      return read_ask<pmix::Modex>(*in.mutable_modex());
    case proto::PmixUp::kModexFound:
      return read_reply<pmix::ModexFound>(*in.mutable_modex_found());
    case proto::PmixUp::kPublish:
      return read(*in.mutable_publish(), bounds);
    case proto::PmixUp::kLookup:
      return read(*in.mutable_lookup());
    case proto::PmixUp::kUnpublish:
      return read(*in.mutable_unpublish());
    case proto::PmixUp::kConnect:
      return read(*in.mutable_connect(), bounds);
    case proto::PmixUp::kEvent:
      return read(*in.mutable_event(), bounds);
    case proto::PmixUp::UPCALL_NOT_SET:
      break;
  }
  return std::nullopt;
}

std::optional<pmix::Command> read_command(proto::PmixDown& in, Bounds& bounds) {
  switch (in.command_case()) {
    case proto::PmixDown::kAddJob:
      return read_pmix(*in.mutable_add_job(), bounds);
    case proto::PmixDown::kReply:
      return read_reply<pmix::Reply>(*in.mutable_reply());
    case proto::PmixDown::kFound:
      return read(*in.mutable_found(), bounds);
    case proto::PmixDown::kSpawned:
      return read(*in.mutable_spawned());
    case proto::PmixDown::kFetchModex:
      return read_ask<pmix::FetchModex>(*in.mutable_fetch_modex());
    case proto::PmixDown::kEvent:
      return read(*in.mutable_event(), bounds);
    case proto::PmixDown::COMMAND_NOT_SET:
      break;
  }
  return std::nullopt;
}

}  // namespace

void write_pmix(proto::PmixUp& to, const PmixUp& up) {
  std::visit([&to](const auto& one) { write(to, one); }, up.upcall);
}

void write_pmix(proto::PmixDown& to, const PmixDown& down) {
  std::visit([&to](const auto& one) { write(to, one); }, down.command);
}

void write_pmix(proto::PmixAddJob& to, const pmix::AddJob& add) {
  write(*to.mutable_job(), *add.job);
  to.set_node(add.node);
  to.set_scratch(add.scratch);
}

std::optional<PmixUp> read_pmix(proto::PmixUp& in, Bounds& bounds) {
  auto upcall = read_upcall(in, bounds);
  if (!upcall) return std::nullopt;
  return PmixUp{std::move(*upcall)};
}

std::optional<PmixDown> read_pmix(proto::PmixDown& in, Bounds& bounds) {
  auto command = read_command(in, bounds);
  if (!command) return std::nullopt;
  return PmixDown{std::move(*command)};
}

pmix::AddJob read_pmix(proto::PmixAddJob& in, Bounds& bounds) {
  pmix::AddJob add{std::make_shared<const pmix::Job>(read(*in.mutable_job(), bounds)), 0,
                   std::move(*in.mutable_scratch())};
  const auto nodes = static_cast<std::uint32_t>(add.job->nodes.size());
  add.node = bounds.at_most("node", in.node(), nodes == 0 ? 0 : nodes - 1);
  return add;
}

}  // namespace muster::wire
