// Starts processes with posix_spawn, which copies no memory of the caller.
#include "process/spawn.hpp"

#include <csignal>

#include "base/check.hpp"

namespace muster::process {
namespace {

int add_actions(posix_spawn_file_actions_t& actions, const SpawnRequest& request) {
  int target = -1;
  for (const int fd : request.descriptors) {
    ++target;
    if (fd < 0) continue;
    const int error = ::posix_spawn_file_actions_adddup2(&actions, fd, target);
    if (error != 0) return error;
  }
  if (*request.workdir == '\0') return 0;
  return ::posix_spawn_file_actions_addchdir_np(&actions, request.workdir);
}

}  // namespace

Spawner::Spawner() {
  CHECK(::posix_spawnattr_init(&attributes_) == 0);
  sigset_t none, all;
  ::sigemptyset(&none);
  ::sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes_, &none);
  ::posix_spawnattr_setsigdefault(&attributes_, &all);
  ::posix_spawnattr_setpgroup(&attributes_, 0);
  CHECK(::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                     POSIX_SPAWN_SETSIGDEF) == 0);
}

Spawner::~Spawner() { ::posix_spawnattr_destroy(&attributes_); }

SpawnResult Spawner::spawn(const SpawnRequest& request) {
  posix_spawn_file_actions_t actions;
  SpawnResult result;
  result.error = ::posix_spawn_file_actions_init(&actions);
  if (result.error != 0) return result;
  result.error = add_actions(actions, request);
  if (result.error == 0) {
    result.error = ::posix_spawn(&result.pid, request.program, &actions, &attributes_,
                                 request.arguments, request.environment);
  }
  if (result.error != 0) result.pid = 0;
  ::posix_spawn_file_actions_destroy(&actions);
  return result;
}

}  // namespace muster::process
