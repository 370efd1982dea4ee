// Bytes of the tasks into the PMI world, its effects out to tasks and head.
#include "host/pmi_tasks.hpp"

#include <array>
#include <cerrno>
#include <iterator>
#include <sys/socket.h>
#include <unistd.h>

#include "pmi/pmi_session.hpp"
#include "process/shortage.hpp"
#include "process/task_descriptors.hpp"

namespace muster::host {

using base::Rank;

namespace {

pmi::WorldSpec world_spec(const machine::WireupOrders& wireup,
                          const std::vector<machine::TaskOrder>& tasks) {
  pmi::WorldSpec spec;
  spec.kvs_name = wireup.name;
  spec.size = wireup.size;
  spec.universe = wireup.universe;
  spec.mapping = wireup.mapping;
  spec.spawner = wireup.spawner;
  for (const wire::NameValue& one : wireup.preput) spec.preput.push_back({one.name, one.value});
  for (const machine::TaskOrder& task : tasks) {
    spec.tasks.push_back({Rank(task.rank.value - wireup.first.value), task.app});
  }
  return spec;
}

}  // namespace

// One task's conversation. Strictly request and reply, so a reply always fits the socket's buffer:
// one that does not comes from a task that does not read, and counts as broken.
class PmiTasks::Talk : public std::enable_shared_from_this<Talk> {
 public:
  Talk(int fd, Rank rank, PmiTasks& owner) : socket_(fd), rank_(rank), owner_(&owner) {}

  void listen() {
    ticket_ =
        owner_->readable_.watch(socket_.get(), [self = shared_from_this()] { self->receive(); });
  }

  void answer(const pmi::Reply& reply) {
    const std::string bytes = session_.answer(reply);
    const ssize_t sent =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(bytes.size())) return;
    // A task that has gone says so by its exit; one that lives and does not read is broken.
    if (sent < 0 && (errno == EPIPE || errno == ECONNRESET)) return stop();
    fail("it does not read the answers that it asked for");
  }

  // What the task said before it ended: its exit may be known earlier than its last words.
  void hear_out() {
    std::array<char, 4096> buffer;
    while (owner_ != nullptr) {
      const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return stop();
      session_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
      take_requests();
    }
  }

  void stop() {
    if (owner_ != nullptr) owner_->readable_.forget_closed(ticket_);
    owner_ = nullptr;
    socket_.reset();
  }

 private:
  void receive() {
    std::array<char, 4096> buffer;
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return stop();
    session_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    take_requests();
  }

  void take_requests() {
    while (owner_ != nullptr) {
      auto request = session_.next();
      if (!request) return fail(request.error().what);
      if (!*request) return;
      owner_->ask(rank_, **request);
    }
  }

  void fail(const std::string& what) {
    PmiTasks* owner = owner_;
    stop();
    if (owner != nullptr) owner->broken(rank_, what);
  }

  process::UniqueFd socket_;
  ReadableSet::Ticket ticket_ = 0;
  pmi::PmiSession session_;
  Rank rank_;
  PmiTasks* owner_;  // null once the conversation is over
};

void PmiTasks::add(const machine::WireupOrders& wireup,
                   const std::vector<machine::TaskOrder>& tasks) {
  worlds_.insert_or_assign(wireup.world, World{pmi::PmiWorld(world_spec(wireup, tasks)),
                                               wireup.world, wireup.first, wireup.size});
  for (const machine::TaskOrder& task : tasks) world_numbers_[task.rank] = wireup.world;
}

const PmiTasks::World& PmiTasks::world_of(Rank rank) const {
  return worlds_.at(world_numbers_.at(rank));
}

PmiTasks::World& PmiTasks::world_of(Rank rank) { return worlds_.at(world_numbers_.at(rank)); }

PmiTasks::~PmiTasks() {
  for (auto& [rank, talk] : talks_) talk->stop();
}

base::Result<process::UniqueFd> PmiTasks::open(Rank rank) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return tl::unexpected(process::system_error("no socket for MPI wire-up", errno));
  }
  const auto talk = std::make_shared<Talk>(ends[0], rank, *this);
  talks_[rank] = talk;
  return process::UniqueFd(ends[1]);
}

void PmiTasks::listen(Rank rank) {
  const auto found = talks_.find(rank);
  if (found != talks_.end()) found->second->listen();
}

std::vector<wire::NameValue> PmiTasks::shared_variables(Rank rank) const {
  const World& world = world_of(rank);
  std::vector<wire::NameValue> variables{{"PMI_FD", std::to_string(process::kWireupDescriptor)},
                                         {"PMI_SIZE", std::to_string(world.size)}};
  if (world.number > 1) variables.push_back({"PMI_SPAWNED", "1"});
  return variables;
}

std::string PmiTasks::own_variable(Rank rank) const {
  return fmt::format("PMI_RANK={}", world_of(rank).own(rank).value);
}

void PmiTasks::ask(Rank rank, const pmi::Request& request) {
  World& world = world_of(rank);
  const bool joins = std::holds_alternative<pmi::Init>(request) ||
                     std::holds_alternative<pmi::SingletonInit>(request);
  if (joins) events_.joined(rank);
  perform(world, world.pmi.handle(world.own(rank), request));
}

std::uint64_t PmiTasks::remember(const World& world, std::uint64_t id) {
  asked_[++last_id_] = {world.number, id};
  return last_id_;
}

void PmiTasks::answered(std::uint64_t id, const pmi::Reply& reply) {
  const auto found = asked_.find(id);
  if (found == asked_.end()) return;
  const PendingRequest asked = found->second;
  asked_.erase(found);
  World& world = worlds_.at(asked.world);
  perform(world, world.pmi.answered(asked.id, reply));
}

void PmiTasks::perform(World& world, const pmi::Effects& effects) {
  for (const pmi::Effect& effect : effects) {
    std::visit([&](const auto& one) { perform(world, one); }, effect);
  }
}

void PmiTasks::perform(World& world, const pmi::Answer& effect) {
  const auto found = talks_.find(world.of_run(effect.task));
  if (found != talks_.end()) found->second->answer(effect.reply);
}

void PmiTasks::perform(World& world, const pmi::FenceIn& effect) {
  events_.to_head(wire::FenceIn{effect.sequence, effect.blob, world.number});
}

void PmiTasks::perform(World& world, const pmi::Aborted& effect) {
  events_.to_head(wire::Aborted{world.of_run(effect.task), effect.code, effect.message});
}

void PmiTasks::perform(World& world, const pmi::Ask& effect) {
  wire::NameAsk ask{remember(world, effect.id), wire::NameVerb::lookup, {}, {}};
  if (const auto* publish = std::get_if<pmi::Publish>(&effect.what)) {
    ask.verb = wire::NameVerb::publish;
    ask.service = publish->service;
    ask.port = publish->port;
  } else if (const auto* unpublish = std::get_if<pmi::Unpublish>(&effect.what)) {
    ask.verb = wire::NameVerb::unpublish;
    ask.service = unpublish->service;
  } else {
    ask.service = std::get<pmi::Lookup>(effect.what).service;
  }
  events_.to_head(std::move(ask));
}

void PmiTasks::perform(World& world, const pmi::SpawnRequest& effect) {
  wire::Spawn spawn{remember(world, effect.id), world.of_run(effect.task), false, {}, {}};
  for (const pmi::SpawnCommand& command : effect.spawn.commands) {
    wire::SpawnApp& app = spawn.apps.emplace_back();
    app.command = {command.program};
    app.command.insert(app.command.end(), command.arguments.begin(), command.arguments.end());
    app.ranks = command.copies;
    for (const pmi::KeyValue& one : command.info) app.info.push_back({one.key, one.value});
  }
  for (const pmi::KeyValue& one : effect.spawn.preput) spawn.preput.push_back({one.key, one.value});
  events_.to_head(std::move(spawn));
}

void PmiTasks::hear(const wire::ToAgent& message) {
  if (const auto* fence = std::get_if<wire::FenceOut>(&message)) {
    const auto found = worlds_.find(fence->world);
    if (found == worlds_.end()) return;
    auto effects = found->second.pmi.fence_out(fence->sequence, fence->blob);
    if (effects) perform(found->second, *effects);
  } else if (const auto* answer = std::get_if<wire::NameAnswer>(&message)) {
    pmi::Reply reply = pmi::Done{};
    if (answer->verdict == wire::NameVerdict::found) reply = pmi::Text{answer->port};
    if (answer->verdict == wire::NameVerdict::not_found) reply = pmi::NotFound{};
    answered(answer->id, reply);
  } else if (const auto* spawned = std::get_if<wire::Spawned>(&message)) {
    if (spawned->world == 0) return answered(spawned->id, pmi::Failed{"the_spawn_was_refused"});
    answered(spawned->id, pmi::Spawned{spawned->name, {}});
  }
}

void PmiTasks::hear_out(Rank rank) {
  const auto found = talks_.find(rank);
  if (found == talks_.end()) return;
  const auto talk = found->second;  // an answer may end it
  talk->hear_out();
}

void PmiTasks::ended(Rank rank) {
  const auto found = talks_.find(rank);
  if (found == talks_.end()) return;
  found->second->stop();
  talks_.erase(found);
  World& world = world_of(rank);
  const Rank own = world.own(rank);
  world.pmi.gone(own);
  if (world.pmi.stage(own) == pmi::Stage::initialised)
    broken(rank, "it ended without MPI_Finalize");
}

void PmiTasks::broken(Rank rank, const std::string& what) {
  events_.to_head(wire::Aborted{rank, 1, what});
}

}  // namespace muster::host
