// Starts what removes, and reaps it when its pidfd says that it has ended.
#include "process/removals.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include "process/heard_meanwhile.hpp"
#include "process/signal_mask.hpp"

namespace muster::process {
namespace {

constexpr int kLookMs = 20;  // for signals, and for an end that no pidfd tells

}  // namespace

void Removals::remove(const std::string& path) {
  const pid_t pid = remove_in_process(path);
  if (pid == 0) return;
  removers_.push_back({pid, asio::posix::stream_descriptor(loop_)});
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (pidfd < 0) return;  // no descriptor is left: it is waited for at the end
  std::error_code error;
  const auto remover = std::prev(removers_.end());
  remover->end.assign(pidfd, error);
  if (error) return void(::close(pidfd));
  watch(remover);
}

void Removals::watch(Place remover) {
  remover->end.async_wait(asio::posix::stream_descriptor::wait_read,
                          life_.bind([this, remover](const std::error_code& error) {
                            if (!error) reap(remover);
                          }));
}

// A sweep of all that is left of a run may have reaped it before.
void Removals::reap(Place remover) {
  if (::waitpid(remover->pid, nullptr, WNOHANG) == 0) return watch(remover);
  removers_.erase(remover);
}

Removals::~Removals() {
  for (Remover& remover : removers_) {
    while (::waitpid(remover.pid, nullptr, WNOHANG) == 0) {
      if (waiting_signal() != 0) return;
      pollfd end{remover.end.is_open() ? remover.end.native_handle() : -1, POLLIN, 0};
      ::poll(&end, 1, kLookMs);
    }
  }
}

}  // namespace muster::process
