// Starts processes with posix_spawn, which copies no memory of the caller.
#include "process/spawn.hpp"

#include <cerrno>
#include <csignal>
#include <sched.h>

#include "base/check.hpp"
#include "model/cpu_set.hpp"

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

// posix_spawn knows nothing of cpus: the caller takes the child's for the moment of the spawn.
class Affinity {
 public:
  explicit Affinity(std::span<const std::uint64_t> cpus) {
    if (cpus.empty()) return;
    taken_ = ::sched_getaffinity(0, sizeof own_, as_set(own_.data())) == 0 &&
             ::sched_setaffinity(0, cpus.size_bytes(), as_set(cpus.data())) == 0;
    if (!taken_) error_ = errno;
  }
  ~Affinity() {
    if (taken_) ::sched_setaffinity(0, sizeof own_, as_set(own_.data()));
  }
  Affinity(const Affinity&) = delete;
  Affinity& operator=(const Affinity&) = delete;
  [[nodiscard]] int error() const { return error_; }

 private:
  // The C library's type is too small for large machines; both are bits, low first.
  static cpu_set_t* as_set(std::uint64_t* words) { return reinterpret_cast<cpu_set_t*>(words); }
  static const cpu_set_t* as_set(const std::uint64_t* words) {
    return reinterpret_cast<const cpu_set_t*>(words);
  }

  std::array<std::uint64_t, model::kCpusMax / 64> own_{};
  int error_ = 0;
  bool taken_ = false;
};

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
  const Affinity affinity(request.cpus);
  if (result.error == 0) result.error = affinity.error();
  if (result.error == 0) {
    result.error = ::posix_spawn(&result.pid, request.program, &actions, &attributes_,
                                 request.arguments, request.environment);
  }
  if (result.error != 0) result.pid = 0;
  ::posix_spawn_file_actions_destroy(&actions);
  return result;
}

}  // namespace muster::process
