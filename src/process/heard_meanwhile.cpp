// Forks, and looks at the child and at signals in turn.
#include "process/heard_meanwhile.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "process/forked.hpp"
#include "process/signal_mask.hpp"
#include "process/tree.hpp"
#include "process/write_all.hpp"

namespace muster::process {
namespace {

constexpr int kChildLookMs = 20;
constexpr int kChildEndsMs = 1;  // it has closed what it writes to, and is about to end
constexpr off_t kQuicklyRemoved = off_t{64} << 20;  // bytes of a file
constexpr std::size_t kWordsMax = std::size_t{64} << 10;

// What has been written so far.
std::string read_new(UniqueFd& pipe) {
  std::string text;
  std::array<char, 4096> bytes;
  while (pipe && text.size() < kWordsMax) {
    const ssize_t got = ::read(pipe.get(), bytes.data(), bytes.size());
    if (got == 0) pipe.reset();
    if (got <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// What a child writes first: from then on one that goes on lives as long as it wants, whoever dies.
constexpr char kBegun = '.';

// "WHAT\nHINT"
base::Error error_in(const std::string& words, int code) {
  const std::size_t end = std::min(words.find('\n'), words.size());
  base::Error error;
  error.fault = base::Fault::output;
  error.what = words.substr(0, end);
  error.hint = end < words.size() ? words.substr(end + 1) : "";
  if (error.what.empty()) error.what = fmt::format("its process ended with code {}", code);
  return error;
}

int tell_parent(const base::Result<void>& done) {
  if (done) return 0;
  (void)write_all(STDOUT_FILENO, fmt::format("{}\n{}", done.error().what, done.error().hint));
  return base::exit_code(done.error().fault);
}

using Work = std::function<base::Result<void>()>;

base::Result<Forked> start_work(const Work& work, Unfinished unfinished) {
  return fork_to_run([&] {
    if (unfinished == Unfinished::goes_on) ::prctl(PR_SET_PDEATHSIG, 0);
    (void)write_all(STDOUT_FILENO, std::string(1, kBegun));
    return tell_parent(work());
  });
}

void wait_until_begun(const Forked& child) {
  pollfd words{child.out.get(), POLLIN, 0};
  while (::poll(&words, 1, -1) < 0 && errno == EINTR) {
  }
}

base::Result<void> hear_until_done(Forked child, Unfinished unfinished) {
  std::string words;
  int status = 0;
  for (bool runs = true; runs;) {
    runs = ::waitpid(child.pid, &status, WNOHANG) == 0;
    words += read_new(child.out);
    (void)write_all(STDERR_FILENO, read_new(child.err));
    if (!runs) break;
    if (!words.empty() && waiting_signal() != 0) {
      if (unfinished == Unfinished::is_ended) {
        ::kill(child.pid, SIGKILL);
        ::waitpid(child.pid, &status, 0);
      }
      return base::fail(base::Fault::output, "", "a signal has ended it");
    }
    std::array<pollfd, 2> files = {{{child.out ? child.out.get() : -1, POLLIN, 0},
                                    {child.err ? child.err.get() : -1, POLLIN, 0}}};
    ::poll(files.data(), files.size(), child.out || child.err ? kChildLookMs : kChildEndsMs);
  }
  const int code = exit_code_of(status);
  if (code == 0) return {};
  return tl::unexpected(error_in(words.substr(std::min<std::size_t>(1, words.size())), code));
}

// Its own name is free at once: whoever makes something of that name meanwhile keeps it.
std::string put_aside(const std::string& path) {
  std::string aside = fmt::format("{}.gone-{}", path, ::getpid());
  return ::rename(path.c_str(), aside.c_str()) == 0 ? aside : path;
}

// What removes; none: all has gone already. Kernels before 5.9 cannot close all at once: there the
// locks last until all has gone.
std::optional<Forked> start_removal(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return std::nullopt;
  if (!S_ISDIR(facts.st_mode) && facts.st_size <= kQuicklyRemoved) {
    (void)::unlink(path.c_str());
    return std::nullopt;
  }
  const std::string aside = put_aside(path);
  const auto remove = [&]() -> base::Result<void> {
    (void)::close_range(STDERR_FILENO + 1, ~0U, 0);
    (void)remove_tree(aside);
    return {};
  };
  auto child = start_work(remove, Unfinished::goes_on);
  if (child) return std::move(*child);
  (void)remove_tree(aside);  // and closes nothing of ours
  return std::nullopt;
}

}  // namespace

base::Result<void> heard_meanwhile(const Work& work, Unfinished unfinished) {
  auto child = start_work(work, unfinished);
  if (!child) return work();  // there is no room for a process
  return hear_until_done(std::move(*child), unfinished);
}

void remove_meanwhile(const std::string& path) {
  auto child = start_removal(path);
  if (child) (void)hear_until_done(std::move(*child), Unfinished::goes_on);
}

void remove_unwaited(const std::string& path) { (void)remove_in_process(path); }

pid_t remove_in_process(const std::string& path) {
  const auto child = start_removal(path);
  if (!child) return 0;
  wait_until_begun(*child);
  return child->pid;
}

}  // namespace muster::process
