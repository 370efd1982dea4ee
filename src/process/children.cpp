// Reaps and signals the guard's children.
#include "process/children.hpp"

#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>

namespace muster::process {
namespace {

// ru_maxrss is in KiB, and never below what the guard had when it started the process.
Ended describe(ProcessId id, pid_t pid, int status, const rusage& usage) {
  Ended ended{.id = id, .pid = pid, .max_rss_kib = static_cast<std::uint64_t>(usage.ru_maxrss)};
  if (WIFSIGNALED(status)) {
    ended.signal = WTERMSIG(status);
    ended.core_dumped = WCOREDUMP(status);
  } else {
    ended.code = WEXITSTATUS(status);
  }
  return ended;
}

// A leader that has joined another group is still reached by itself.
void signal_group(pid_t pid, int number) {
  if (::kill(-pid, number) != 0 && errno == ESRCH) ::kill(pid, number);
}

}  // namespace

void Children::add(ProcessId id, pid_t pid) {
  pids_[id] = pid;
  ids_[pid] = id;
}

bool Children::reap(const std::function<void(const Ended&)>& ended) {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t pid = ::wait4(-1, &status, WNOHANG, &usage);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return pid < 0;
    const auto found = ids_.find(pid);
    if (found == ids_.end()) continue;
    const ProcessId id = found->second;
    ids_.erase(found);
    pids_.erase(id);
    ended(describe(id, pid, status, usage));
  }
}

void Children::signal(ProcessId id, int number) const {
  const auto found = pids_.find(id);
  if (found != pids_.end()) signal_group(found->second, number);
}

void Children::signal_all(int number) const {
  for (const auto& [id, pid] : pids_) signal_group(pid, number);
}

}  // namespace muster::process
