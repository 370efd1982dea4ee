// Walks /proc for descendants and kills them through pidfds.
#include "process/descendants.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <poll.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_set>

#include "process/guard.hpp"
#include "process/unique_fd.hpp"

// This header of glibc 2.36 forgets to say so itself.
extern "C" {
#include <sys/pidfd.h>
}

namespace muster::process {
namespace {

using Clock = std::chrono::steady_clock;

constexpr base::Duration first_pause{1};
constexpr base::Duration longest_pause{32};

// Names come from strangers and end up on terminals.
std::string printable(std::string_view name) {
  std::string text(name);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; }, '?');
  return text;
}

// The line of /proc/PID/stat; a name may hold spaces and brackets, so the last ')' ends it.
std::optional<ProcessStat> parse_stat(const char* line) {
  const char* const open = std::strchr(line, '(');
  const char* const close = std::strrchr(line, ')');
  if (open == nullptr || close == nullptr) return std::nullopt;
  ProcessStat process;
  unsigned long long start = 0;
  const int fields = std::sscanf(
      close + 1, " %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
      &process.state, &process.parent, &process.group, &process.session, &start);
  if (fields != 5) return std::nullopt;
  process.start = start;
  process.name = printable({open + 1, close});
  return process;
}

// In a new pid namespace without a /proc of its own the numbers there are not ours.
bool proc_is_ours() {
  char self[16] = {};
  if (::readlink("/proc/self", self, sizeof self - 1) <= 0) return false;
  return std::string_view(self) == std::to_string(::getpid());
}

std::optional<pid_t> pid_of(const char* name) {
  pid_t pid = 0;
  const char* const end = name + std::strlen(name);
  const auto [stop, error] = std::from_chars(name, end, pid);
  if (error != std::errc() || stop != end) return std::nullopt;
  return pid;
}

// Reads /proc; `visit` gets each process that `is_wanted` by its pid and has not ended meanwhile.
void visit_proc(const std::function<bool(pid_t)>& is_wanted,
                const std::function<void(ProcessStat)>& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir("/proc"), &::closedir);
  if (!folder || !proc_is_ours()) return;
  while (const dirent* const entry = ::readdir(folder.get())) {
    const auto pid = pid_of(entry->d_name);
    if (!pid || !is_wanted(*pid)) continue;
    if (auto process = read_process(*pid)) visit(std::move(*process));
  }
}

bool reap_all() {
  pid_t pid = 0;
  do {
    pid = ::waitpid(-1, nullptr, WNOHANG);
  } while (pid > 0 || (pid < 0 && errno == EINTR));
  return pid < 0;
}

void pause_for(base::Duration time) { ::poll(nullptr, 0, static_cast<int>(time.count())); }

// Those of other guards are not ours to reap. True when no child but the spared is left.
bool reap_others_than(const std::set<pid_t>& spared) {
  bool is_left = false;
  visit_descendants(
      [&](const ProcessStat& process) {
        if (process.parent != ::getpid()) return;
        is_left |= ::waitpid(process.pid, nullptr, WNOHANG) == 0;
      },
      spared);
  return !is_left;
}

void kill_descendants(const std::set<pid_t>& spared) {
  visit_descendants([](const ProcessStat& process) { signal_process(process, SIGKILL); }, spared);
}

std::vector<std::string> name_descendants(const std::set<pid_t>& spared) {
  std::vector<std::string> names;
  visit_descendants(
      [&](const ProcessStat& process) {
        names.push_back(fmt::format("pid {} ({})", process.pid, process.name));
      },
      spared);
  if (names.empty()) names.emplace_back("a process that /proc does not show");
  return names;
}

// True when no child is left; false when `until` has come.
bool reap_until(const Reaping& reaping, Clock::time_point until) {
  while (!reaping.reap()) {
    const auto left = std::chrono::ceil<base::Duration>(until - Clock::now());
    if (left <= base::Duration::zero()) return false;
    reaping.pause(left);
  }
  return true;
}

}  // namespace

std::optional<ProcessStat> read_process(pid_t pid) {
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  char line[1024];
  const ssize_t size = ::read(file.get(), line, sizeof line - 1);
  if (size <= 0) return std::nullopt;
  line[size] = '\0';
  auto process = parse_stat(line);
  if (process) process->pid = pid;
  return process;
}

std::vector<pid_t> ancestors() {
  std::vector<pid_t> pids;
  for (pid_t pid = ::getppid(); pid > 0;) {
    pids.push_back(pid);
    const auto process = read_process(pid);
    pid = process ? process->parent : 0;
  }
  return pids;
}

void visit_descendants(const std::function<void(const ProcessStat&)>& visit,
                       const std::set<pid_t>& spared) {
  std::unordered_set<pid_t> family{::getpid()};
  // Those read before their parent, which happens after pids have wrapped around.
  std::vector<ProcessStat> others;
  visit_proc([&](pid_t pid) { return !family.contains(pid) && !spared.contains(pid); },
             [&](ProcessStat process) {
               if (!family.contains(process.parent)) return others.push_back(std::move(process));
               family.insert(process.pid);
               visit(process);
             });
  const auto is_ours = [&](const ProcessStat& process) { return family.contains(process.parent); };
  for (auto first = others.begin(), last = first;
       (last = std::partition(first, others.end(), is_ours)) != first; first = last) {
    for (auto process = first; process != last; ++process) {
      family.insert(process->pid);
      visit(*process);
    }
  }
}

void visit_session(pid_t session, const std::function<void(const ProcessStat&)>& visit) {
  visit_proc([](pid_t) { return true; },
             [&](const ProcessStat& process) {
               if (process.session == session) visit(process);
             });
}

void signal_process(const ProcessStat& process, int number) {
  const UniqueFd handle(::pidfd_open(process.pid, 0));
  if (!handle) {
    // A kernel without pidfds (before 5.3). The pid of a child that only we reap stays its own.
    if (errno == ENOSYS && process.parent == ::getpid()) ::kill(process.pid, number);
    return;
  }
  const auto now = read_process(process.pid);
  if (now && now->start == process.start) ::pidfd_send_signal(handle.get(), number, nullptr, 0);
}

std::vector<std::string> kill_until_gone(const Reaping& reaping, base::Duration limit,
                                         const std::set<pid_t>& spared) {
  if (reaping.reap()) return {};
  const auto deadline = Clock::now() + limit;
  for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    kill_descendants(spared);
    if (reap_until(reaping, std::min(Clock::now() + pause, deadline))) return {};
    if (Clock::now() >= deadline) return name_descendants(spared);
  }
}

base::Result<void> become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0) return {};
  return base::fail(base::Fault::internal, "", "cannot become a subreaper: {}",
                    std::strerror(errno));
}

std::vector<std::string> sweep_descendants(base::Duration limit, const std::set<pid_t>& spared) {
  if (spared.empty()) return kill_until_gone({reap_all, pause_for}, limit);
  return kill_until_gone({[&] { return reap_others_than(spared); }, pause_for}, limit, spared);
}

}  // namespace muster::process
