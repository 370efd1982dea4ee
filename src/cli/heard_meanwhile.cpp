// Forks, and looks at the child and at signals in turn.
#include "cli/heard_meanwhile.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/speak.hpp"
#include "process/forked.hpp"
#include "process/signal_mask.hpp"

namespace muster::cli {
namespace {

constexpr int kChildLookMs = 20;
constexpr std::size_t kWordsMax = std::size_t{64} << 10;

// What has been written so far.
std::string read_new(process::UniqueFd& pipe) {
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

// What a child writes first: from then on it lives as long as it wants, whoever dies.
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

int tell(const base::Result<void>& done) {
  if (done) return 0;
  (void)print(fmt::format("{}\n{}", done.error().what, done.error().hint));
  return base::exit_code(done.error().fault);
}

}  // namespace

base::Result<void> heard_meanwhile(const std::function<base::Result<void>()>& work,
                                   Unfinished unfinished) {
  auto child = process::fork_to_run([&] {
    (void)print(std::string(1, kBegun));
    return tell(work());
  });
  if (!child) return work();  // there is no room for a process
  std::string words;
  int status = 0;
  for (bool runs = true; runs;) {
    runs = ::waitpid(child->pid, &status, WNOHANG) == 0;
    words += read_new(child->out);
    say(read_new(child->err));
    if (!runs) break;
    if (!words.empty() && process::waiting_signal() != 0) {
      if (unfinished == Unfinished::is_ended) {
        ::kill(child->pid, SIGKILL);
        ::waitpid(child->pid, &status, 0);
      }
      return base::fail(base::Fault::output, "", "a signal has ended it");
    }
    std::array<pollfd, 2> files = {{{child->out ? child->out.get() : -1, POLLIN, 0},
                                    {child->err ? child->err.get() : -1, POLLIN, 0}}};
    ::poll(files.data(), files.size(), kChildLookMs);
  }
  const int code = process::exit_code_of(status);
  if (code == 0) return {};
  return tl::unexpected(error_in(words.substr(std::min<std::size_t>(1, words.size())), code));
}

}  // namespace muster::cli
