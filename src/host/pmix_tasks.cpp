// Starts the PMIx server of this host when it is wanted, and carries what it says.
#include "host/pmix_tasks.hpp"

#include <algorithm>
#include <array>
#include <asio/error.hpp>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "pmix/environment.hpp"
#include "probe/random.hpp"
#include "process/helper_outside.hpp"
#include "process/helper_program.hpp"
#include "process/shortage.hpp"

namespace muster::host {

using asio::local::stream_protocol;

namespace {

constexpr std::string_view kRankVariable = "PMIX_RANK";  // the one that differs within a world
constexpr std::string_view kServerWord = "pmix-server";
constexpr const char* kOwnPath = "/proc/self/exe";

std::string own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink(kOwnPath, ignored).string();
}

// In a container, in the folder that the server outside sees as well.
std::string scratch_folder() {
  const std::string name = "/muster-" + probe::random_digits(32);
  return (process::outside().empty() ? "/dev/shm" : process::outside()) + name;
}

}  // namespace

base::Result<std::unique_ptr<PmixTasks>> PmixTasks::create(asio::io_context& loop,
                                                           std::vector<pmix::AddJob> jobs,
                                                           std::vector<std::string> environment,
                                                           std::uint32_t cpus, Events events) {
  auto listener = pmix::listen_on_loopback();
  if (!listener) return tl::unexpected(listener.error());
  std::unique_ptr<PmixTasks> tasks(
      new PmixTasks(loop, std::move(*listener), std::move(environment), cpus, std::move(events)));
  for (pmix::AddJob& job : jobs) tasks->add(std::move(job));
  return tasks;
}

// The folder's name is hard to guess, too: others may make folders where it will be. It is another
// than the worlds', since it can be seen there.
PmixTasks::PmixTasks(asio::io_context& loop, pmix::Listener listener,
                     std::vector<std::string> environment, std::uint32_t cpus, Events events)
    : scratch_(scratch_folder()),
      listener_(std::move(listener)),
      knock_(loop, process::required(::fcntl(listener_.socket.get(), F_DUPFD_CLOEXEC, 3))),
      server_(loop),
      own_environment_(std::move(environment)),
      cpus_(cpus),
      events_(std::move(events)) {
  wait_for_first();
}

void PmixTasks::add(pmix::AddJob job) {
  tasks_ += job.job->nodes[job.node].ranks.size();
  worlds_.insert_or_assign(job.job->world, World{job.job, job.node, {}});
  job.scratch = scratch_;
  send(std::move(job));
}

const PmixTasks::World& PmixTasks::world_of(base::Rank rank) const {
  const auto above = std::ranges::find_if(
      worlds_, [&](const auto& entry) { return rank.value < entry.second.job->offset; });
  return above == worlds_.begin() ? above->second : std::prev(above)->second;
}

PmixTasks::World* PmixTasks::world_named(const std::string& nspace) {
  const auto found = std::ranges::find_if(
      worlds_, [&](const auto& entry) { return entry.second.job->nspace == nspace; });
  return found == worlds_.end() ? nullptr : &found->second;
}

PmixTasks::~PmixTasks() { clean_up(); }

std::vector<PmixTasks::Variable> PmixTasks::shared_variables(base::Rank rank) const {
  const pmix::Job& first = *worlds_.begin()->second.job;
  const auto& [job, node, in_world] = world_of(rank);
  const pmix::ClientIdentity client{first.nspace,   job->nspace,           rank.value - job->offset,
                                    node,           job->nodes[node].host, scratch_,
                                    listener_.port, tasks_ > cpus_};
  std::vector<Variable> variables;
  for (auto& [name, value] : pmix::client_variables(client)) {
    if (name == kRankVariable) continue;
    variables.push_back({std::move(name), std::move(value), false});
  }
  for (auto& [name, value] : pmix::open_mpi_variables(client)) {
    variables.push_back({std::move(name), std::move(value), true});
  }
  return variables;
}

std::string PmixTasks::own_variable(base::Rank rank) const {
  return fmt::format("{}={}", kRankVariable, rank.value - world_of(rank).job->offset);
}

void PmixTasks::wait_for_first() {
  knock_.async_wait(asio::posix::stream_descriptor::wait_read,
                    life_.bind([this](const std::error_code& error) {
                      if (!error) start_server();
                    }));
}

void PmixTasks::start_server() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return refuse(process::system_error("no socket for the PMIx server", errno));
  }
  server_.assign(stream_protocol(), ends[0]);
  server_.non_blocking(true);
  const process::UniqueFd theirs(ends[1]);
  const auto ordered = process::outside().empty() ? order_server(theirs) : ask_for_server(theirs);
  if (!ordered) return refuse(ordered.error());
  started_ = true;
  std::error_code ignored;
  knock_.close(ignored);
  listener_.socket.reset();
  read_server();
  for (pmix::Command& command : std::exchange(early_, {})) {
    wire::append(queue_, wire::PmixDown{std::move(command)});
  }
  flush();
}

base::Result<void> PmixTasks::order_server(const process::UniqueFd& link) {
  const auto program = process::helper_file();
  if (!program) return tl::unexpected(program.error());
  process::SpawnOrder order;
  order.id = kServer;
  order.program = process::kHelperPath;
  order.arguments = {own_program(), std::string(kServerWord)};
  order.environment = own_environment_;
  order.in = link.get();
  order.out = listener_.socket.get();
  order.wireup = program->get();
  events_.spawn(order);
  return {};
}

// It ends with the link, as any other.
base::Result<void> PmixTasks::ask_for_server(const process::UniqueFd& link) {
  const auto call =
      process::start_outside({std::string(kServerWord)}, link.get(), listener_.socket.get());
  return call.map([](const process::UniqueFd&) {});
}

void PmixTasks::read_server() {
  server_.async_wait(stream_protocol::socket::wait_read,
                     life_.bind([this](const std::error_code& error) {
                       if (error) return;
                       if (hear_server()) return read_server();
                       if (!process::outside().empty()) server_ended();  // nobody else would tell
                     }));
}

// All that it has said so far. False when nothing more will come.
bool PmixTasks::hear_server() {
  while (true) {
    std::array<char, 65536> buffer;
    const ssize_t got = ::recv(server_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0 || !hear({buffer.data(), static_cast<std::size_t>(got)})) return false;
  }
}

// False when it cannot be understood.
bool PmixTasks::hear(std::string_view said) {
  reader_.feed(said);
  auto item = reader_.next();
  for (; item && *item; item = reader_.next()) {
    auto* message = std::get_if<wire::ToHead>(&**item);
    auto* up = message == nullptr ? nullptr : std::get_if<wire::PmixUp>(message);
    if (up != nullptr) take(std::move(up->upcall));
  }
  if (item) return true;
  item.error().what = "the PMIx server of this host: " + item.error().what;
  refuse(std::move(item.error()));
  return false;
}

// Nothing worse will follow.
void PmixTasks::refuse(base::Error error) {
  expected_ = true;
  events_.to_head(wire::Refused{std::move(error)});
}

void PmixTasks::take(pmix::Upcall upcall) {
  if (const auto* broken = std::get_if<pmix::Broken>(&upcall)) {
    refuse({base::Fault::cannot_start, broken->what, broken->hint, {}});
  } else if (const auto* abort = std::get_if<pmix::Aborted>(&upcall)) {
    const World* world = world_named(abort->proc.nspace);
    if (world == nullptr) return;
    aborted(*world, abort->proc.rank, abort->code, abort->message == "N/A" ? "" : abort->message);
  } else if (const auto* spawn = std::get_if<pmix::Spawn>(&upcall)) {
    ask_spawn(*spawn);
  } else if (const auto* connected = std::get_if<pmix::Connected>(&upcall)) {
    note(*connected);
  } else if (const auto* finalized = std::get_if<pmix::Finalized>(&upcall)) {
    note(*finalized);
  } else if (!std::holds_alternative<pmix::Ready>(upcall)) {
    if (const auto* event = std::get_if<pmix::Event>(&upcall)) signal_ranks(*event);
    events_.to_head(wire::PmixUp{std::move(upcall)});
  }
}

// ---- spawning -----------------------------------------------------------------------------------

void PmixTasks::ask_spawn(const pmix::Spawn& upcall) {
  const World* world = world_named(upcall.proc.nspace);
  if (world == nullptr) return;
  const base::Rank spawner(world->job->offset + upcall.proc.rank);
  wire::Spawn spawn{upcall.ticket, spawner, true, {}, {}};
  for (const pmix::AppOrder& order : upcall.apps) {
    wire::SpawnApp& app = spawn.apps.emplace_back();
    // The program is found by the name that was asked for, whatever it shall be called.
    app.command = order.arguments;
    if (app.command.empty()) app.command.emplace_back();
    if (!order.command.empty()) app.command.front() = order.command;
    app.environment = wishes_of(order, spawner);
    app.ranks = order.count;
    for (const pmix::SpawnWish& wish : order.wishes) app.info.push_back({wish.key, wish.value});
  }
  events_.to_head(std::move(spawn));
}

// The library hands on what the spawner itself got from us; on another host that would be wrong.
std::vector<wire::NameValue> PmixTasks::wishes_of(const pmix::AppOrder& order,
                                                  base::Rank spawner) const {
  std::set<std::string> ours;
  for (const Variable& one : shared_variables(spawner)) ours.insert(one.name + "=" + one.value);
  std::vector<wire::NameValue> wishes;
  for (const std::string& entry : order.environment) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos || ours.contains(entry)) continue;
    if (entry.starts_with("PMIX_")) continue;
    wishes.push_back({entry.substr(0, equals), entry.substr(equals + 1)});
  }
  return wishes;
}

void PmixTasks::hear(const wire::Spawned& answer) {
  pmix::Spawned spawned{answer.id, pmix::kFailed, {}};
  const auto found = worlds_.find(answer.world);
  if (found != worlds_.end()) spawned = {answer.id, pmix::kSuccess, found->second.job->nspace};
  send(std::move(spawned));
}

// ---- who is there -------------------------------------------------------------------------------

void PmixTasks::note(const pmix::Connected& upcall) {
  World* world = world_named(upcall.proc.nspace);
  if (world == nullptr) return;
  world->in_world.insert(upcall.proc.rank);
  events_.joined(base::Rank(world->job->offset + upcall.proc.rank));
}

void PmixTasks::note(const pmix::Finalized& upcall) {
  if (World* world = world_named(upcall.proc.nspace)) world->in_world.erase(upcall.proc.rank);
  send(pmix::Reply{upcall.ticket, pmix::kSuccess, {}});
}

void PmixTasks::ended(base::Rank rank) {
  const World& world = world_of(rank);
  const std::uint32_t own = rank.value - world.job->offset;
  if (world.in_world.contains(own)) aborted(world, own, 1, "it ended without MPI_Finalize");
}

void PmixTasks::aborted(const World& world, std::uint32_t rank, std::int32_t code,
                        const std::string& message) {
  events_.to_head(wire::Aborted{base::Rank(world.job->offset + rank), code, message});
}

// Those of this host; the others hear of the same event.
void PmixTasks::signal_ranks(const pmix::Event& order) {
  if (order.code != pmix::kSignalRanks) return;
  std::int32_t number = 0;
  const char* end = order.blob.data() + order.blob.size();
  if (std::from_chars(order.blob.data(), end, number).ptr != end || number < 1) return;
  for (const auto& [_, world] : worlds_) {
    if (!order.source.nspace.empty() && order.source.nspace != world.job->nspace) continue;
    for (const std::uint32_t rank : world.job->nodes[world.node].ranks) {
      events_.signal(base::Rank(world.job->offset + rank), number);
    }
  }
}

void PmixTasks::hear(wire::PmixDown message) {
  const auto* event = std::get_if<pmix::Event>(&message.command);
  if (event != nullptr && event->code == pmix::kSignalRanks) return signal_ranks(*event);
  if (auto* job = std::get_if<pmix::AddJob>(&message.command)) return add(std::move(*job));
  send(std::move(message.command));
}

// Few programs ever call MPI_Init: what a server must know first is not encoded before it starts.
void PmixTasks::send(pmix::Command command) {
  if (!started_) return early_.push_back(std::move(command));
  wire::append(queue_, wire::PmixDown{std::move(command)});
  if (!writing_) flush();
}

void PmixTasks::flush() {
  while (!queue_.empty()) {
    const ssize_t put = ::send(server_.native_handle(), queue_.data(), queue_.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      writing_ = true;
      return server_.async_wait(stream_protocol::socket::wait_write,
                                life_.bind([this](const std::error_code& error) {
                                  if (error) return;
                                  writing_ = false;
                                  flush();
                                }));
    }
    if (put < 0) return queue_.clear();  // it has ended; server_ended() will tell
    queue_.erase(0, static_cast<std::size_t>(put));
  }
}

void PmixTasks::hear_out() {
  if (started_ && !hear_server()) server_ended();
}

void PmixTasks::server_ended() {
  if (expected_) return;
  (void)hear_server();  // its last word says why
  if (expected_) return;
  refuse({base::Fault::lost, "the PMIx server of this host has died", {}, {}});
}

void PmixTasks::clean_up() {
  if (started_) events_.remove(scratch_);  // ranks may have put anything there
}

}  // namespace muster::host
