// One thread of ours: link, upcalls and connections are waited for in one place.
#include "pmix/process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "pmix/gate.hpp"
#include "pmix/proxy.hpp"
#include "pmix/server.hpp"
#include "process/tree.hpp"
#include "wire/frame.hpp"

namespace muster::pmix {

namespace {

class Process {
 public:
  Process(process::UniqueFd link, process::UniqueFd listener)
      : link_(std::move(link)), listener_(std::move(listener)) {}

  base::Result<void> run() {
    while (!ended_) {
      if (auto stepped = step(); !stepped) return stepped;
    }
    return {};
  }
  // The last word; waits for the agent to take it.
  void end_with(Upcall upcall) {
    say(std::move(upcall));
    while (!out_.empty() && write_out(0)) {
    }
  }

  void clean_up() const {
    if (!scratch_.empty()) (void)process::remove_tree(scratch_);
  }

 private:
  base::Result<void> step();
  base::Result<void> read_commands();
  base::Result<void> carry_out(const Command& command);
  base::Result<void> open(const AddJob& first);
  void say(Upcall upcall) { wire::append(out_, wire::PmixUp{std::move(upcall)}); }
  bool write_out(int flags);

  process::UniqueFd link_;
  process::UniqueFd listener_;
  wire::AgentReader reader_;
  std::string out_;
  std::unique_ptr<Server> server_;
  std::optional<Proxy> proxy_;
  std::string scratch_;
  bool ended_ = false;
};

base::Result<void> Process::step() {
  std::vector<pollfd> entries;
  const short link_events = out_.empty() ? POLLIN : POLLIN | POLLOUT;
  entries.push_back({link_.get(), link_events, 0});
  entries.push_back({server_ ? server_->signal() : -1, POLLIN, 0});
  const std::size_t connections = entries.size();
  if (proxy_) proxy_->wanted(entries);
  if (::poll(entries.data(), entries.size(), -1) < 0) {
    if (errno == EINTR) return {};
    return base::fail(base::Fault::internal, {}, "poll: {}", std::strerror(errno));
  }
  // Commands before connections: a job is added before its ranks are started, and known here
  // before they are let in. Upcalls, too: what a rank's call tells us is on its way to the agent
  // before the rank has its answer, and so before it can end.
  const bool serving = proxy_.has_value();
  if (entries[0].revents != 0) {
    if (auto read = read_commands(); !read) return read;
  }
  if (server_) {
    for (Upcall& upcall : server_->take()) say(std::move(upcall));
  }
  if (!out_.empty()) ended_ = !write_out(MSG_DONTWAIT) || ended_;
  if (serving) return proxy_->served(entries.data() + connections);
  return {};
}

base::Result<void> Process::read_commands() {
  std::array<char, 64u << 10> piece;
  const ssize_t got = ::recv(link_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (got <= 0) {
    ended_ = true;
    return {};
  }
  reader_.feed({piece.data(), static_cast<std::size_t>(got)});
  while (true) {
    const auto message = reader_.next();
    if (!message) return tl::unexpected(message.error());
    if (!*message) return {};
    const auto* down = std::get_if<wire::PmixDown>(&**message);
    if (down == nullptr) continue;
    if (auto done = carry_out(down->command); !done) return done;
  }
}

base::Result<void> Process::carry_out(const Command& command) {
  if (server_) return server_->carry_out(command);
  const auto* first = std::get_if<AddJob>(&command);
  return first != nullptr ? open(*first) : base::Result<void>{};
}

// Others can list the folder's parent, so somebody else's folder must not be taken for ours.
base::Result<void> make_private(const std::string& folder) {
  if (folder.empty() || ::mkdir(folder.c_str(), 0700) == 0) return {};
  const int error = errno;
  struct stat found {};
  if (error == EEXIST && ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
      found.st_uid == ::geteuid() && (found.st_mode & 077) == 0) {
    return {};
  }
  return base::fail(base::Fault::cannot_start,
                    "MPI ranks share memory there: is it a tmpfs that may be written, with room "
                    "left? see df -h /dev/shm",
                    "cannot make {}: {}", folder, std::strerror(error));
}

base::Result<void> Process::open(const AddJob& first) {
  if (auto made = make_private(first.scratch); !made) return made;
  scratch_ = first.scratch;
  auto server = Server::start(first);
  if (!server) return tl::unexpected(server.error());
  server_ = std::move(*server);
  auto gate = Gate::shut(server_->port());
  if (!gate) return tl::unexpected(gate.error());
  proxy_.emplace(std::move(listener_), *gate);
  say(Ready{});
  return {};
}

// False when the agent is gone.
bool Process::write_out(int flags) {
  const ssize_t sent = ::send(link_.get(), out_.data(), out_.size(), flags | MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR;
  out_.erase(0, static_cast<std::size_t>(sent));
  return true;
}

// Three descriptors for each rank, and their number is not known yet.
void raise_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int serve(process::UniqueFd link, process::UniqueFd listener) {
  raise_limit();
  // The end of the link is the only order to end: ranks may still need us, and the folder goes
  // last.
  for (const int number : {SIGPIPE, SIGTERM, SIGINT, SIGHUP}) ::signal(number, SIG_IGN);
  // Never destroyed: finalizing the library takes long and may hang, and its threads may call us.
  auto& process = *new Process(std::move(link), std::move(listener));
  const auto result = process.run();
  if (!result) process.end_with(Broken{result.error().what, result.error().hint});
  process.clean_up();
  return result ? 0 : 1;
}

int serve_standard() {
  process::UniqueFd link(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  process::UniqueFd listener(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
  const process::UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return serve(std::move(link), std::move(listener));
}

}  // namespace muster::pmix
