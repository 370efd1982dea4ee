// Starts a carrier and watches it through a pidfd.
#include "process/child.hpp"

#include <array>
#include <asio/posix/stream_descriptor.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/variables.hpp"
#include "process/pipe.hpp"
#include "process/shortage.hpp"
#include "process/spawn.hpp"
#include "process/usual_path.hpp"

namespace muster::process {

using base::Fault;

namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  // execve's signature takes char* but promises not to write.
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::string look_up(const std::string& word, std::string path) {
  if (word.find('/') != std::string::npos) return word;
  if (path.empty()) path = kUsualPath;
  std::size_t at = 0;
  while (at <= path.size()) {
    const std::size_t colon = std::min(path.find(':', at), path.size());
    std::string candidate = path.substr(at, colon - at) + "/" + word;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    at = colon + 1;
  }
  return word;
}

}  // namespace

// Waits for the end of one child; survives the Child while a handler is on its way.
class Child::Watch : public std::enable_shared_from_this<Watch> {
 public:
  Watch(asio::io_context& loop, int pidfd, pid_t pid, std::function<void(ChildEnd)> ended)
      : descriptor_(loop, pidfd), pid_(pid), ended_(std::move(ended)) {}

  void start() {
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read,
                           [self = shared_from_this()](const std::error_code& error) {
                             if (!error) self->reap();
                           });
  }

  // Its handler keeps this until then.
  void let_go() {
    ended_ = nullptr;
    if (!reaped_) kill_group();
  }

  void stop() {
    ended_ = nullptr;
    std::error_code ignored;
    descriptor_.close(ignored);
    if (reaped_) return;
    kill_group();
    ::waitpid(pid_, nullptr, 0);
    reaped_ = true;
  }

 private:
  // Its number may be another's once it has been reaped: by somebody else, or by the kernel where
  // SIGCHLD is ignored. `seen` says whether it has ended.
  [[nodiscard]] bool is_unreaped(siginfo_t& seen) const {
    const auto pid = static_cast<id_t>(pid_);
    return ::waitid(P_PID, pid, &seen, WEXITED | WNOHANG | WNOWAIT) == 0;
  }

  void kill_group() const {
    siginfo_t seen{};
    if (is_unreaped(seen) && ::kill(-pid_, SIGKILL) != 0) ::kill(pid_, SIGKILL);
  }

  // What a wrapper of ssh leaves in its group goes with it; a connection that ssh keeps for the
  // next call (ControlPersist) has left the group.
  void reap() {
    if (reaped_) return;  // stopped since it was told to us; its pid may be somebody else's by now
    siginfo_t seen{};
    if (is_unreaped(seen) && seen.si_pid != pid_) return start();
    kill_group();
    int status = 0;
    ::waitpid(pid_, &status, 0);
    reaped_ = true;
    const auto ended = std::move(ended_);
    ended_ = nullptr;
    ChildEnd end;
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end.code = WEXITSTATUS(status);
    if (ended) ended(end);
  }

  asio::posix::stream_descriptor descriptor_;
  pid_t pid_;
  std::function<void(ChildEnd)> ended_;
  bool reaped_ = false;
};

base::Result<std::unique_ptr<Child>> Child::start(asio::io_context& loop,
                                                  const std::vector<std::string>& words,
                                                  const std::vector<std::string>& environment,
                                                  std::function<void(ChildEnd)> ended,
                                                  int when_caller_ends,
                                                  std::optional<mode_t> umask) {
  auto in = make_pipe();
  auto out = make_pipe();
  auto err = make_pipe();
  if (!in) return tl::unexpected(in.error());
  if (!out) return tl::unexpected(out.error());
  if (!err) return tl::unexpected(err.error());
  const std::string program = look_up(words.front(), base::value_of(environment, "PATH"));
  std::vector<char*> arguments = pointers(words);
  std::vector<char*> variables = pointers(environment);
  SpawnRequest request;
  request.program = program.c_str();
  request.arguments = arguments.data();
  request.environment = variables.data();
  request.descriptors = {in->read.get(), out->write.get(), err->write.get(), -1};
  request.when_caller_ends = when_caller_ends;
  request.umask = umask;
  const SpawnResult result = Spawner().spawn(request);
  const std::string what = "cannot start " + words.front();
  if (is_shortage(result.error)) return tl::unexpected(system_error(what, result.error));
  if (result.pid == 0) {
    return base::fail(Fault::unreachable,
                      "is it installed, and on PATH? --ssh-command names another one", "{}: {}",
                      what, std::strerror(result.error));
  }
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, result.pid, 0)));
  if (!pidfd) {
    const int error = errno;
    ::kill(result.pid, SIGKILL);
    ::waitpid(result.pid, nullptr, 0);
    return tl::unexpected(system_error("cannot watch " + words.front(), error));
  }
  std::unique_ptr<Child> child(
      new Child(result.pid, {std::move(in->write), std::move(out->read), std::move(err->read)}));
  child->watch_ = std::make_shared<Watch>(loop, pidfd.release(), result.pid, std::move(ended));
  child->watch_->start();
  return child;
}

void Child::let_go(std::unique_ptr<Child> child) {
  if (const auto watch = std::exchange(child->watch_, nullptr)) watch->let_go();
}

Child::~Child() {
  if (watch_) watch_->stop();
}

}  // namespace muster::process
