// Starts it as any other process, and waits for its end.
#include "process/epilogue.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/spawn.hpp"
#include "process/unique_fd.hpp"

namespace muster::process {
namespace {

// As long as a runtime may wait for a lock that another one of its kind holds.
constexpr std::chrono::milliseconds kEpilogueLimit = std::chrono::seconds(30);

// False when it still runs.
bool ends_within(pid_t pid, std::chrono::milliseconds limit) {
  const UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd source{process.get(), POLLIN, 0};
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    const int ready = ::poll(&source, 1, static_cast<int>(left.count()));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return ready > 0;
  }
}

}  // namespace

void run_epilogue(const std::vector<std::string>& words) {
  if (words.empty()) return;
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  // execve's signature takes char* but promises not to write.
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  SpawnRequest request;
  request.program = words.front().c_str();
  request.arguments = arguments.data();
  request.environment = environ;
  const SpawnResult started = Spawner().spawn(request);
  if (started.pid == 0) return;
  if (!ends_within(started.pid, kEpilogueLimit)) ::kill(-started.pid, SIGKILL);
  while (::waitpid(started.pid, nullptr, 0) < 0 && errno == EINTR) continue;
}

}  // namespace muster::process
