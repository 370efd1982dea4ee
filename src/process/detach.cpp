// Forks, and cuts the child off.
#include "process/detach.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/forked.hpp"
#include "process/pipe.hpp"
#include "process/shortage.hpp"

namespace muster::process {
namespace {

void cut_off() {
  ::setsid();
  std::signal(SIGHUP, SIG_IGN);
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (nothing) ::dup2(nothing.get(), STDIN_FILENO);
}

}  // namespace

base::Result<Detached> detach() {
  auto pipe = make_pipe();
  if (!pipe) return tl::unexpected(pipe.error());
  const pid_t child = ::fork();
  if (child < 0) {
    return tl::unexpected(system_error("cannot start a process", errno));
  }
  if (child > 0) return Detached{child, std::move(pipe->read)};
  cut_off();
  return Detached{0, std::move(pipe->write)};
}

bool print_to(const char* path) {
  const UniqueFd file(::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  return file && ::dup2(file.get(), STDOUT_FILENO) >= 0 && ::dup2(file.get(), STDERR_FILENO) >= 0;
}

int await_code(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_code_of(status);
}

}  // namespace muster::process
