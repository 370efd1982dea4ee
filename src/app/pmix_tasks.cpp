// Starts the PMIx server of this host when it is wanted, and carries what it says.
#include "app/pmix_tasks.hpp"

#include <array>
#include <asio/error.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <unistd.h>

#include "pmix/environment.hpp"

namespace muster::app {

using asio::local::stream_protocol;

namespace {

constexpr const char* kOwnPath = "/proc/self/exe";

std::optional<pmix::Job> job_of(const std::string& frame) {
  pmix::Reader<pmix::Command> reader;
  reader.feed(frame);
  const auto command = reader.next();
  if (!command || !*command) return std::nullopt;
  const auto* add = std::get_if<pmix::AddJob>(&**command);
  return add == nullptr ? std::nullopt : std::optional(add->job);
}

std::string own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink(kOwnPath, ignored).string();
}

}  // namespace

base::Result<std::unique_ptr<PmixTasks>> PmixTasks::create(asio::io_context& loop,
                                                           const std::string& frame,
                                                           std::vector<std::string> environment,
                                                           bool crowded, Events events) {
  auto job = job_of(frame);
  if (!job) return base::fail(base::Fault::internal, {}, "the PMIx job of this host is damaged");
  auto listener = pmix::listen_on_loopback();
  if (!listener) return tl::unexpected(listener.error());
  return std::unique_ptr<PmixTasks>(new PmixTasks(loop, frame, std::move(*job),
                                                  std::move(*listener), std::move(environment),
                                                  crowded, std::move(events)));
}

PmixTasks::PmixTasks(asio::io_context& loop, std::string frame, pmix::Job job,
                     pmix::Listener listener, std::vector<std::string> environment, bool crowded,
                     Events events)
    : frame_(std::move(frame)),
      job_(std::move(job)),
      listener_(std::move(listener)),
      knock_(loop, ::fcntl(listener_.socket.get(), F_DUPFD_CLOEXEC, 3)),
      server_(loop),
      own_environment_(std::move(environment)),
      crowded_(crowded),
      events_(std::move(events)) {
  for (const std::uint32_t rank : job_.ranks[job_.node]) silent_.insert(rank);
  wait_for_first();
}

PmixTasks::~PmixTasks() {
  *alive_ = false;
  clean_up();
}

std::vector<PmixTasks::Variable> PmixTasks::environment(base::Rank rank) const {
  pmix::Seat seat{job_.nspace,           job_.nspace,  rank.value,     job_.node,
                  job_.hosts[job_.node], job_.scratch, listener_.port, crowded_};
  std::vector<Variable> variables;
  for (auto& [name, value] : pmix::client_variables(seat)) {
    variables.push_back({std::move(name), std::move(value), false});
  }
  for (auto& [name, value] : pmix::open_mpi_variables(seat)) {
    variables.push_back({std::move(name), std::move(value), true});
  }
  return variables;
}

void PmixTasks::wait_for_first() {
  knock_.async_wait(asio::posix::stream_descriptor::wait_read,
                    [this, alive = alive_](const std::error_code& error) {
                      if (!error && *alive) start_server();
                    });
}

void PmixTasks::start_server() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return server_ended();
  server_.assign(stream_protocol(), ends[0]);
  server_.non_blocking(true);
  const process::UniqueFd theirs(ends[1]);
  process::SpawnOrder order;
  order.id = kServer;
  order.program = own_program();
  order.arguments = {order.program, "pmix-server"};
  order.environment = own_environment_;
  order.in = theirs.get();
  order.out = listener_.socket.get();
  started_ = true;
  events_.spawn(order);
  std::error_code ignored;
  knock_.close(ignored);
  listener_.socket.reset();
  send(frame_);
  read_server();
}

void PmixTasks::read_server() {
  server_.async_wait(
      stream_protocol::socket::wait_read, [this, alive = alive_](const std::error_code& error) {
        if (error || !*alive) return;
        std::array<char, 65536> buffer;
        const ssize_t got = ::recv(server_.native_handle(), buffer.data(), buffer.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return read_server();
        if (got <= 0) return;
        reader_.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
        auto upcall = reader_.next();
        for (; upcall && *upcall; upcall = reader_.next()) take(**upcall);
        if (upcall) read_server();
      });
}

void PmixTasks::take(const pmix::Upcall& upcall) {
  if (const auto* broken = std::get_if<pmix::Broken>(&upcall)) {
    events_.to_head(wire::Refused{{base::Fault::cannot_start, broken->what, broken->hint, {}}});
  } else if (const auto* abort = std::get_if<pmix::Aborted>(&upcall)) {
    aborted(abort->proc.rank, abort->code, abort->message == "N/A" ? "" : abort->message);
  } else if (const auto* spawn = std::get_if<pmix::Spawn>(&upcall)) {
    std::string bytes;
    pmix::append(bytes, pmix::Spawned{spawn->ticket, pmix::kNotSupported, {}});
    send(bytes);
  } else if (const auto* connected = std::get_if<pmix::Connected>(&upcall)) {
    note(*connected);
  } else if (const auto* finalized = std::get_if<pmix::Finalized>(&upcall)) {
    note(*finalized);
  } else if (!std::holds_alternative<pmix::Ready>(upcall)) {
    wire::PmixUp up;
    pmix::append(up.frame, upcall);
    events_.to_head(std::move(up));
  }
}

void PmixTasks::note(const pmix::Connected& upcall) {
  if (upcall.proc.nspace != job_.nspace) return;
  in_world_.insert(upcall.proc.rank);
  silent_.erase(upcall.proc.rank);
  if (!gone_.empty()) ended(base::Rank(*gone_.begin()));
}

void PmixTasks::note(const pmix::Finalized& upcall) {
  if (upcall.proc.nspace == job_.nspace) in_world_.erase(upcall.proc.rank);
}

void PmixTasks::ended(base::Rank rank) {
  if (in_world_.contains(rank.value)) {
    return aborted(rank.value, 1, "it ended without MPI_Finalize");
  }
  if (!silent_.contains(rank.value)) return;
  gone_.insert(rank.value);
  if (!in_world_.empty()) {
    aborted(rank.value, 1, "it ended without MPI_Init while others wait for it there");
  }
}

void PmixTasks::aborted(std::uint32_t rank, std::int32_t code, const std::string& message) {
  events_.to_head(wire::Aborted{base::Rank(rank), code, message});
}

void PmixTasks::hear(const wire::PmixDown& message) {
  if (started_) send(message.frame);
}

void PmixTasks::send(const std::string& bytes) {
  queue_ += bytes;
  if (!writing_) flush();
}

void PmixTasks::flush() {
  while (!queue_.empty()) {
    const ssize_t put = ::send(server_.native_handle(), queue_.data(), queue_.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      writing_ = true;
      return server_.async_wait(stream_protocol::socket::wait_write,
                                [this, alive = alive_](const std::error_code& error) {
                                  if (error || !*alive) return;
                                  writing_ = false;
                                  flush();
                                });
    }
    if (put < 0) return queue_.clear();  // it has ended; server_ended() will tell
    queue_.erase(0, static_cast<std::size_t>(put));
  }
}

void PmixTasks::server_ended() {
  if (expected_) return;
  events_.to_head(
      wire::Refused{{base::Fault::lost, "the PMIx server of this host has died", {}, {}}});
}

void PmixTasks::clean_up() {
  if (!started_) return;
  std::error_code ignored;
  std::filesystem::remove_all(job_.scratch, ignored);
}

}  // namespace muster::app
