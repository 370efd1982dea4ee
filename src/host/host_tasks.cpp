// Orders become processes and pipes; exits and bytes become events.
#include "host/host_tasks.hpp"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

#include "host/descriptor_room.hpp"
#include "host/folders.hpp"
#include "host/program.hpp"
#include "host/program_environment.hpp"
#include "host/python_hook.hpp"
#include "host/wireup_variables.hpp"
#include "machine/memory_kills.hpp"
#include "plan/environment.hpp"
#include "plan/surroundings.hpp"
#include "probe/affinity.hpp"
#include "probe/devices.hpp"
#include "probe/memory.hpp"
#include "probe/mpi_library.hpp"
#include "probe/probe.hpp"
#include "probe/text_file.hpp"
#include "process/pipe.hpp"
#include "process/shortage.hpp"
#include "process/terminal.hpp"

namespace muster::host {

using base::Rank;
using wire::Stream;

namespace {

constexpr std::size_t kBufferBytes = 256u << 10;
constexpr base::Duration kSweepLimit = std::chrono::seconds(5);
constexpr std::size_t kOwnEntries = 6;  // besides what the plan gives: wire-up, error file, cpus

// A larger pipe saves wake-ups of writer and reader; the kernel may refuse, which does no harm.
void widen(int pipe, std::size_t tasks) {
  constexpr int kWide = 256 << 10;
  constexpr std::size_t kFewTasks = 32;
  if (tasks <= kFewTasks) ::fcntl(pipe, F_SETPIPE_SZ, kWide);
}

machine::AgentOptions with_shared_memory(machine::AgentOptions options) {
  options.shared = probe::shared_memory();
  return options;
}

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

// As wire::Prepared tells it.
std::string outside(const machine::AppOrder& app, const std::string& path) {
  if (app.python_program.empty()) return {};
  auto found = find_program(app.python_program, app.workdir, path);
  if (!found) return app.python_program;
  return found->starts_with(app.python_environment + "/") ? std::string() : *std::move(found);
}

base::Error not_found(base::Error error, const machine::AppOrder& app) {
  if (app.command.front() != app.python_program) return error;
  error.hint = fmt::format("your shell has it from {}: make the same environment on this host, too",
                           app.python_environment);
  return error;
}

}  // namespace

HostTasks::HostTasks(asio::io_context& loop, process::Removals& removals,
                     process::GuardProcess guard, machine::AgentOptions options,
                     std::vector<std::string> own_environment, HostTasksEvents events)
    : loop_(loop),
      removals_(removals),
      machine_(with_shared_memory(std::move(options))),
      own_environment_(std::move(own_environment)),
      events_(std::move(events)),
      guard_(loop, std::move(guard), guard_events()),
      readable_(loop),
      pump_(
          loop,
          [this](base::Instant now, machine::AgentEvent event) { take(now, std::move(event)); },
          [this] { return machine_.deadline(); }, machine::Tick{}),
      stacks_(loop, own_environment_,
              [this](Stacks::Answer answer) {
                feed(machine::TaskTraced{
                    {answer.rank, std::move(answer.state), std::move(answer.stack)}});
              }),
      devices_(loop, own_environment_) {
  pump_.arm();
}

HostTasks::~HostTasks() { close_streams(); }

void HostTasks::close_streams() {
  for (auto& [rank, streams] : streams_) {
    if (streams.out) streams.out->close();
    if (streams.err) streams.err->close();
    if (streams.in) streams.in->close();
  }
}

void HostTasks::take(base::Instant now, machine::AgentEvent event) {
  machine::AgentEffects effects;
  machine_.step(now, std::move(event), effects);
  for (machine::AgentEffect& effect : effects) {
    std::visit([this](auto& one) { perform(one); }, effect);
  }
}

process::GuardEvents HostTasks::guard_events() {
  process::GuardEvents events;
  events.spawned = [this](const process::Spawned& spawned) {
    if (spawned.id == PmixTasks::kServer) return pmix_spawned(spawned);
    if (spawned.pid != 0) pids_[Rank(spawned.id)] = spawned.pid;
    base::Error error;
    if (spawned.pid == 0) error = why_not_started(Rank(spawned.id), spawned.error);
    feed(machine::TaskSpawned{Rank(spawned.id), static_cast<std::int32_t>(spawned.pid),
                              std::move(error)});
    one_less_to_spawn();
  };
  events.ended = [this](const process::Ended& ended) {
    if (ended.id == PmixTasks::kServer) return pmix_ ? pmix_->server_ended() : void();
    pids_.erase(Rank(ended.id));
    // What it said before its end comes first: an MPI_Abort is more than an exit code.
    if (pmi_) pmi_->hear_out(Rank(ended.id));
    if (pmix_) pmix_->hear_out();
    feed(machine::TaskEnded{{Rank(ended.id), static_cast<std::int32_t>(ended.pid), ended.code,
                             ended.signal, ended.core_dumped, ended.max_rss_kib},
                            base::Instant(std::chrono::nanoseconds(ended.at_ns))});
    // Only now: an exit that tells its own cause comes before what the others miss.
    if (pmi_) pmi_->ended(Rank(ended.id));
    if (pmix_) pmix_->ended(Rank(ended.id));
  };
  events.swept = [this](const process::Swept& swept) { feed(machine::SweepDone{swept.leftovers}); };
  events.lost = [this](process::Lost lost) {
    if (!lost.swept) (void)process::sweep_descendants(kSweepLimit, events_.others());
    feed(machine::GuardLost{lost.stopped});
  };
  return events;
}

void HostTasks::perform(machine::ToHead& effect) {
  if (auto* exited = std::get_if<wire::Exited>(&effect.message)) {
    add_what_it_told(*exited);
    if (exited->around) exited->around = look_around();
  }
  events_.to_head(std::move(effect.message));
}

// ---- before the start ---------------------------------------------------------------------------

void HostTasks::perform(machine::ClaimPorts& effect) {
  std::vector<std::uint16_t> ports;
  ports.reserve(effect.count);
  while (ports.size() < effect.count) {
    auto port = probe::claim_port();
    if (!port) return feed(machine::PortsClaimed{tl::unexpected(port.error())});
    ports.push_back(port->port);
    rank_ports_.push_back(std::move(*port));
  }
  feed(machine::PortsClaimed{std::move(ports)});
}

// Another port, since the last one may still be busy with connections that were cut.
void HostTasks::perform(machine::BeginRound&) {
  devices_.forget();
  close_streams();
  streams_.clear();
  pmi_.reset();
  pmix_.reset();
  order_of_.clear();
  worlds_.clear();
  machine::RoundBegun claimed;
  if (auto port = probe::claim_port()) {
    claimed.port = port->port;
    port_claim_ = std::move(port->claim);
  }
  feed(claimed);
}

// Meanwhile the head may have called it off.
void HostTasks::perform(machine::Check& effect) {
  const auto orders = std::make_shared<machine::HostOrders>(std::move(effect.orders));
  devices_.await(orders->device_claims, [this, orders] {
    if (!machine_.is_over()) check(std::move(*orders));
  });
}

void HostTasks::check(machine::HostOrders orders) {
  if (!claims_.claim({orders.claims, orders.device_claims}, devices_.text())) {
    wire::Taken taken{probe::claimed_by_others(probe::own_cpus()),
                      probe::claimed_by_others(orders.device_claims, devices_.text())};
    return feed(machine::Checked{{}, orders.wireup.world, std::move(taken)});
  }
  World& world = keep(std::move(orders));
  if (head_above_.empty()) find_head_above();
  const auto checked = write_hostfile(world.orders)
                           .and_then([&] { return make_folders(world.orders.folders); })
                           .and_then([&] { return make_launchers(world.orders); })
                           .and_then([&] { return read_programs(world); })
                           .and_then([&] { return bind_memory(world); })
                           .and_then([&] { return hold_port(world.orders.held_port); })
                           .and_then([&] { return serve_wireup(world.orders); })
                           .and_then([&] { return check_room(world); });
  machine::Checked answer{{}, world.orders.wireup.world};
  if (!checked) answer.error = checked.error();
  answer.no_memory = world.memory.refused;
  answer.unanswered = devices_.unanswered();
  for (const Program& program : world.programs) {
    if (answer.outside.empty()) answer.outside = program.outside;
  }
  feed(std::move(answer));
}

base::Result<void> HostTasks::bind_memory(World& world) {
  return MemoryOfTasks::of(world.orders).map([&](MemoryOfTasks made) {
    world.memory = std::move(made);
  });
}

// Last, when all that is held besides the ranks' own descriptors is there.
base::Result<void> HostTasks::check_room(const World& world) const {
  std::vector<std::size_t> wanted;
  wanted.reserve(world.orders.tasks.size());
  for (const machine::TaskOrder& task : world.orders.tasks) {
    const std::size_t more =
        (task.input ? 1u : 0u) + (pmi_ ? 1u : 0u) + (wants_error_file(world, task) ? 1u : 0u);
    wanted.push_back(2 + more);  // its stdout and stderr
  }
  return check_descriptors(wanted);
}

base::Result<void> HostTasks::hold_port(std::uint16_t port) {
  if (port == 0) return {};
  return probe::hold_port(port).map([&](process::UniqueFd held) { held_port_ = std::move(held); });
}

// A spawned world that was dropped leaves its number, and those of its ranks, to the next one.
HostTasks::World& HostTasks::keep(machine::HostOrders orders) {
  World& world = worlds_[orders.wireup.world];
  for (const machine::TaskOrder& task : world.orders.tasks) order_of_.erase(task.rank);
  world = {std::move(orders), {}, {}};
  for (const machine::TaskOrder& task : world.orders.tasks) order_of_[task.rank] = {&world, &task};
  return world;
}

// Only apps that have a rank here: the others' programs may be missing.
base::Result<void> HostTasks::read_programs(World& world) const {
  const machine::HostOrders& orders = world.orders;
  world.programs.assign(orders.apps.size(), {});
  for (const machine::TaskOrder& task : orders.tasks) {
    Program& known = world.programs[task.app];
    if (!known.path.empty()) continue;
    auto fine = check_workdir(orders.apps[task.app].workdir, !orders.launchers.empty());
    if (!fine) return fine;
    auto read = program(orders.apps[task.app], orders.environment);
    if (!read) return tl::unexpected(read.error());
    known = std::move(*read);
    known.hooked = (orders.python_hook || launchers_) &&
                   is_python(orders.apps[task.app].command, probe::first_bytes(known.path, 128));
  }
  return {};
}

base::Result<HostTasks::Program> HostTasks::program(const machine::AppOrder& app,
                                                    const model::EnvironmentRule& rule) const {
  auto [variables, path] = program_environment(
      {app, rule, own_environment_, fmt::format("/proc/{}/fd/{}", ::getpid(), hostfile_.get()),
       launchers_ ? launchers_->folder() : "", head_above_});
  Program program;
  program.environment = std::move(variables);
  if (!app.path.empty()) path = app.path + ":" + path;
  if (app.tries_workdir) path += ':';  // an empty folder is the current one
  const std::string& word = app.command.front();
  auto found = find_program(word, app.workdir, path);
  if (!found) return tl::unexpected(not_found(found.error(), app));
  program.path = std::move(*found);
  program.outside = outside(app, path);
  auto fault = view::script_fault(program_file(word, program.path, app.workdir, path));
  if (fault) return tl::unexpected(*std::move(fault));
  return program;
}

// The guard's answer is an errno of fork or of exec: what we lack, or what is wrong with the file.
void HostTasks::pmix_spawned(const process::Spawned& spawned) {
  if (spawned.pid != 0) return;
  pmix_->expect_end();
  events_.to_head(
      wire::Refused{process::system_error("cannot start the PMIx server", spawned.error)});
}

base::Error HostTasks::why_not_started(Rank rank, int error) const {
  if (process::is_shortage(error)) return process::system_error("no process", error);
  const auto ordered = order_of_.find(rank);
  if (ordered == order_of_.end()) {
    return {base::Fault::cannot_start, std::strerror(error), {}, {}};
  }
  const auto& [world, task] = ordered->second;
  const machine::AppOrder& app = world->orders.apps[task->app];
  return view::exec_fault(
      program_file(app.command.front(), world->programs[task->app].path, app.workdir, {}), error,
      std::strerror(error));
}

base::Result<void> HostTasks::serve_pmix(const machine::HostOrders& orders) {
  if (orders.wireup.pmix_jobs.empty()) return {};
  auto made = PmixTasks::create(
      loop_, orders.wireup.pmix_jobs, own_environment_, probe::cpus().usable,
      {[this](wire::ToHead message) { feed(machine::WireupSays{std::move(message)}); },
       [this](const process::SpawnOrder& order) { guard_.spawn(order); },
       [this](Rank rank) { joined(rank); },
       [this](Rank rank, std::int32_t number) { guard_.signal(rank.value, number); },
       [this](const std::string& folder) { removals_.remove(folder); }});
  if (!made) return tl::unexpected(made.error());
  pmix_ = std::move(*made);
  return {};
}

// Ranks that meet only each other have what this host has.
void HostTasks::joined(Rank rank) {
  machine::JoinedWorld event{rank};
  const auto ordered = order_of_.find(rank);
  const auto pid = pids_.find(rank);
  if (ordered != order_of_.end() && pid != pids_.end()) {
    World& world = *ordered->second.world;
    const machine::HostOrders& orders = world.orders;
    const bool meets_others = orders.wireup.world > 1 || orders.wireup.size > orders.tasks.size();
    if (meets_others && !std::exchange(world.library_asked, true)) {
      event.library = probe::mpi_library_of("", pid->second);
    }
  }
  feed(std::move(event));
}

base::Result<void> HostTasks::serve_wireup(const machine::HostOrders& orders) {
  if (auto served = serve_pmix(orders); !served) return served;
  if (!orders.wireup.pmi) return {};
  if (orders.tasks.empty() || orders.wireup.name.size() > pmi::kKvsNameMax) {
    return base::fail(base::Fault::internal, wire::kOtherVersion,
                      "the orders for MPI have no rank or too long a name");
  }
  if (!pmi_) {
    pmi_ = std::make_unique<PmiTasks>(
        readable_, PmiTasks::Events{[this](wire::ToHead message) {
                                      feed(machine::WireupSays{std::move(message)});
                                    },
                                    [this](Rank rank) { joined(rank); }});
  }
  pmi_->add(orders.wireup, orders.tasks);
  return {};
}

// In memory, so that nothing is left behind whoever is killed; ranks open it through /proc.
base::Result<void> HostTasks::write_hostfile(const machine::HostOrders& orders) {
  if (orders.wireup.world > 1 && hostfile_) return {};
  hostfile_ = process::UniqueFd(::memfd_create("muster-hostfile", MFD_CLOEXEC));
  const std::string& text = orders.hostfile;
  if (!hostfile_ ||
      ::write(hostfile_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return tl::unexpected(process::system_error("cannot keep the host list in memory", errno));
  }
  return {};
}

// ---- start, signals, end ------------------------------------------------------------------------

void HostTasks::perform(machine::SetGuard& effect) {
  guard_.set_grace(effect.grace);
  guard_.watch(effect.lease, effect.watches_us);
}

// A task's pipes are made when its order can be sent: descriptors of orders that wait would count.
void HostTasks::perform(machine::StartTask& effect) {
  const Rank rank = effect.rank;
  unopened_.push_back(rank);
  ++unspawned_;
  if (order_of_.at(rank).task->input) {
    streams_[rank].in = std::make_shared<TaskInput>(loop_, [this, rank](std::uint32_t bytes) {
      feed(machine::InputTaken{rank, bytes});
    });
  }
  guard_.when_sent([this] {
    const Rank next = unopened_.front();
    unopened_.pop_front();
    spawn(order_of_.at(next));
  });
}

// What a rank does not share with the others of its app.
std::vector<std::string> HostTasks::own_environment(const Ordered& ordered) {
  const machine::TaskOrder& task = *ordered.task;
  const auto& common = ordered.world->programs[task.app].environment;
  const std::vector<model::Variable> given = ordered.world->orders.given(task);
  std::vector<std::string> entries;
  entries.reserve(given.size() + kOwnEntries);
  if (pmi_) entries.push_back(pmi_->own_variable(task.rank));
  if (pmix_) entries.push_back(pmix_->own_variable(task.rank));
  for (const model::Variable& one : given) {
    entries.push_back(entry(one.name, one.value));
  }
  for (std::string& one : error_file(ordered)) entries.push_back(std::move(one));
  // A launcher in it need not share these cpus out among its own ranks: nobody has the others.
  const bool alone = ordered.world->orders.tasks.size() == 1 && worlds_.size() == 1;
  if (alone && !task.cpus.empty()) {
    entries.push_back(entry(
        plan::kCpus, model::to_string(task.cpus) + "/" + model::to_string(probe::own_cpus())));
  }
  entries.push_back(
      entry(plan::kGave, common.at(std::string(plan::kGave)) + plan::fingerprints(entries)));
  return entries;
}

// As a rule all ranks of an app set the same names, in the same order: then it is laid out once.
void HostTasks::lay_out_common(Program& program, const std::vector<std::string>& own) {
  if (program.common && std::ranges::equal(own, program.own_names, {}, name_of)) return;
  program.own_names.clear();
  program.own_names.reserve(own.size());
  for (const std::string& one : own) program.own_names.emplace_back(name_of(one));
  const std::set<std::string_view> taken(program.own_names.begin(), program.own_names.end());
  process::EnvironmentBlock block;
  for (const auto& [name, value] : program.environment) {
    if (!taken.contains(name)) block.add(name, value);
  }
  program.common = std::make_shared<const process::EnvironmentBlock>(std::move(block));
}

void HostTasks::spawn(const Ordered& ordered) {
  const machine::TaskOrder& task = *ordered.task;
  const machine::HostOrders& orders = ordered.world->orders;
  auto out = orders.terminal ? process::make_terminal(*orders.terminal) : process::make_pipe();
  auto err = process::make_pipe();
  auto in = task.input ? process::make_pipe() : base::Result<process::Pipe>(process::Pipe{});
  auto wireup = pmi_ ? pmi_->open(task.rank) : base::Result<process::UniqueFd>();
  if (!out || !err || !in || !wireup) {
    const base::Error& error = !out   ? out.error()
                               : !err ? err.error()
                               : !in  ? in.error()
                                      : wireup.error();
    end_streams(task.rank);
    feed(machine::TaskSpawned{task.rank, 0, error});
    return one_less_to_spawn();
  }
  widen(out->write.get(), order_of_.size());
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(kBufferBytes);

  process::SpawnOrder order;
  order.id = task.rank.value;
  Program& program = ordered.world->programs[task.app];
  order.program = program.path;
  order.arguments = task.command.empty() ? orders.apps[task.app].command : task.command;
  if (!std::exchange(program.wired, true)) {
    add_wireup_variables(program.environment, pmi_.get(), pmix_.get(), task.rank);
  }
  order.environment = own_environment(ordered);
  lay_out_common(program, order.environment);
  order.common = program.common;
  order.workdir = orders.apps[task.app].workdir;
  order.cpus = task.cpus;
  if (const auto& policies = ordered.world->memory.policies; !policies.empty()) {
    order.memory = policies[static_cast<std::size_t>(&task - orders.tasks.data())];
  }
  order.in = !in->read && shares_stdin_ ? STDIN_FILENO : in->read.get();
  order.out = out->write.get();
  order.err = err->write.get();
  order.wireup = wireup->get();
  guard_.spawn(order);
  unheard_.push_back(task.rank);

  Streams& streams = streams_[task.rank];
  streams.out = output(task.rank, Stream::out, std::move(out->read), orders.window);
  streams.err = output(task.rank, Stream::err, std::move(err->read), orders.window);
  if (streams.in) streams.in->open(std::move(in->write));
}

void HostTasks::end_streams(Rank rank) {
  feed(machine::StreamEnded{rank, Stream::out});
  feed(machine::StreamEnded{rank, Stream::err});
}

void HostTasks::one_less_to_spawn() {
  if (--unspawned_ == 0) listen();
}

// Not before all have a process: waking up for the first ones would take the processor from the
// guard, which still starts the others.
void HostTasks::listen() {
  if (!memory_before_) memory_before_ = probe::memory_counters();
  for (const Rank rank : std::exchange(unheard_, {})) {
    const Streams& streams = streams_.at(rank);
    streams.out->start();
    streams.err->start();
    if (pmi_) pmi_->listen(rank);
  }
}

std::shared_ptr<TaskOutput> HostTasks::output(Rank rank, Stream stream, process::UniqueFd fd,
                                              std::uint32_t window) {
  auto made = std::make_shared<TaskOutput>(
      readable_, std::move(fd), window, std::span(buffer_.get(), kBufferBytes),
      [this, rank, stream](std::string_view bytes) { events_.output(rank, stream, bytes); },
      [this, rank, stream] {
        feed(machine::StreamEnded{rank, stream});
      });
  if (discarding_) made->discard();
  return made;
}

void HostTasks::perform(machine::SignalTask& effect) {
  guard_.signal(effect.rank.value, effect.number);
}

// One that has ended since answers too: nobody else would.
void HostTasks::perform(machine::TraceTask& effect) {
  const auto found = pids_.find(effect.rank);
  if (found == pids_.end()) return feed(machine::TaskTraced{{effect.rank, "ended", {}}});
  stacks_.ask(effect.rank, found->second, effect.stack);
}

void HostTasks::perform(machine::ToWireup& effect) {
  auto* down = std::get_if<wire::PmixDown>(&effect.message);
  if (down != nullptr && pmix_) return pmix_->hear(std::move(*down));
  const auto* spawned = std::get_if<wire::Spawned>(&effect.message);
  if (spawned != nullptr && spawned->pmix && pmix_) return pmix_->hear(*spawned);
  if (pmi_) pmi_->hear(effect.message);
}

void HostTasks::perform(machine::Sweep&) {
  if (pmix_) pmix_->expect_end();
  guard_.sweep();
}

// ---- streams ------------------------------------------------------------------------------------

void HostTasks::perform(machine::WriteInput& effect) {
  const auto found = streams_.find(effect.rank);
  if (found != streams_.end() && found->second.in) found->second.in->write(effect.bytes);
}

void HostTasks::perform(machine::CloseInput& effect) {
  const auto found = streams_.find(effect.rank);
  if (found != streams_.end() && found->second.in) found->second.in->finish();
}

void HostTasks::perform(machine::AddCredit& effect) {
  const auto found = streams_.find(effect.rank);
  if (found == streams_.end()) return;
  const auto& stream = effect.stream == Stream::out ? found->second.out : found->second.err;
  if (stream) stream->add_credit(effect.bytes);
}

void HostTasks::perform(machine::DrainStreams&) {
  // The sweep is over: nobody uses their folders any more.
  if (pmix_) pmix_->clean_up();
  launchers_.reset();
  // The guard died before it heard of these.
  for (const Rank rank : std::exchange(unopened_, {})) end_streams(rank);
  for (auto& [rank, streams] : streams_) {
    // Copies, since the end of a stream may end this object's interest in it.
    for (const auto& stream : {streams.out, streams.err}) {
      if (stream) stream->drain();
    }
  }
}

void HostTasks::perform(machine::DiscardOutput&) {
  discarding_ = true;
  for (auto& [rank, streams] : streams_) {
    for (const auto& stream : {streams.out, streams.err}) {
      if (stream) stream->discard();
    }
  }
}

void HostTasks::perform(machine::DropLink& drop) {
  if (events_.drop_link) events_.drop_link(drop.why);
}

void HostTasks::perform(machine::Quit&) {
  if (events_.quit) events_.quit();
}

}  // namespace muster::host
