// Bytes of the tasks into the PMI world, its effects out to tasks and head.
#include "app/pmi_tasks.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

#include "pmi/pmi_session.hpp"
#include "process/task_descriptors.hpp"

namespace muster::app {

using base::Rank;

namespace {

pmi::WorldSpec world_spec(const wire::Wireup& wireup, const std::vector<wire::TaskOrder>& tasks) {
  pmi::WorldSpec spec;
  spec.kvs_name = wireup.name;
  spec.size = wireup.size;
  spec.universe = wireup.universe;
  spec.mapping = wireup.mapping;
  for (const wire::TaskOrder& task : tasks) spec.tasks.push_back({task.rank, task.app});
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

PmiTasks::PmiTasks(ReadableSet& readable, const wire::Wireup& wireup,
                   const std::vector<wire::TaskOrder>& tasks, ToHead to_head)
    : readable_(readable),
      world_(world_spec(wireup, tasks)),
      size_(wireup.size),
      to_head_(std::move(to_head)) {}

PmiTasks::~PmiTasks() {
  for (auto& [rank, talk] : talks_) talk->stop();
}

base::Result<process::UniqueFd> PmiTasks::open(Rank rank) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return base::fail(base::Fault::internal, {}, "no socket for MPI wire-up: {}",
                      std::strerror(errno));
  }
  const auto talk = std::make_shared<Talk>(ends[0], rank, *this);
  talks_[rank] = talk;
  return process::UniqueFd(ends[1]);
}

void PmiTasks::listen() {
  for (auto& [rank, talk] : talks_) talk->listen();
}

std::vector<std::string> PmiTasks::environment(Rank rank) const {
  return {fmt::format("PMI_FD={}", process::kWireupDescriptor),
          fmt::format("PMI_RANK={}", rank.value), fmt::format("PMI_SIZE={}", size_)};
}

void PmiTasks::ask(Rank rank, const pmi::Request& request) {
  perform(world_.handle(rank, request));
  if (std::holds_alternative<pmi::Barrier>(request)) find_missing();
}

void PmiTasks::perform(const pmi::Effects& effects) {
  for (const pmi::Effect& effect : effects) {
    std::visit([this](const auto& one) { perform(one); }, effect);
  }
}

void PmiTasks::perform(const pmi::Answer& effect) {
  const auto found = talks_.find(effect.task);
  if (found != talks_.end()) found->second->answer(effect.reply);
}

void PmiTasks::perform(const pmi::FenceIn& effect) {
  to_head_(wire::FenceIn{effect.sequence, effect.blob});
}

void PmiTasks::perform(const pmi::Aborted& effect) {
  to_head_(wire::Aborted{effect.task, effect.code, effect.message});
}

void PmiTasks::perform(const pmi::Ask& effect) {
  wire::NameAsk ask{effect.id, wire::NameVerb::lookup, {}, {}};
  if (const auto* publish = std::get_if<pmi::Publish>(&effect.what)) {
    ask = {effect.id, wire::NameVerb::publish, publish->service, publish->port};
  } else if (const auto* unpublish = std::get_if<pmi::Unpublish>(&effect.what)) {
    ask = {effect.id, wire::NameVerb::unpublish, unpublish->service, {}};
  } else {
    ask.service = std::get<pmi::Lookup>(effect.what).service;
  }
  to_head_(std::move(ask));
}

void PmiTasks::perform(const pmi::SpawnRequest& effect) {
  perform(world_.answered(effect.id, pmi::Failed{"spawning_is_not_supported"}));
}

void PmiTasks::hear(const wire::ToAgent& message) {
  if (const auto* fence = std::get_if<wire::FenceOut>(&message)) {
    auto effects = world_.fence_out(fence->sequence, fence->blob);
    if (effects) perform(*effects);
    return;
  }
  if (const auto* answer = std::get_if<wire::NameAnswer>(&message)) {
    pmi::Reply reply = pmi::Done{};
    if (answer->verdict == wire::NameVerdict::found) reply = pmi::Text{answer->port};
    if (answer->verdict == wire::NameVerdict::not_found) reply = pmi::NotFound{};
    perform(world_.answered(answer->id, reply));
  }
}

void PmiTasks::ended(Rank rank) {
  const auto found = talks_.find(rank);
  if (found == talks_.end()) return;
  found->second->stop();
  talks_.erase(found);
  has_ended_[rank] = true;
  world_.gone(rank);
  find_missing();
}

// A rank that has left for good keeps all others waiting for ever: one that was in the MPI world
// and did not finalise (as in Open MPI, that is a failure), one that never came while others wait
// for it.
void PmiTasks::find_missing() {
  const auto states = world_.states();
  const bool somebody_waits =
      std::ranges::any_of(states, [](const pmi::TaskState& state) { return state.in_barrier; });
  for (const pmi::TaskState& state : states) {
    if (!has_ended_.contains(state.rank)) continue;
    if (state.stage == pmi::Stage::initialised) {
      return broken(state.rank, "it ended without MPI_Finalize");
    }
    if (state.stage == pmi::Stage::silent && somebody_waits) {
      return broken(state.rank, "it ended without MPI_Init while others wait for it there");
    }
  }
}

void PmiTasks::broken(Rank rank, const std::string& what) {
  to_head_(wire::Aborted{rank, 1, what});
}

}  // namespace muster::app
