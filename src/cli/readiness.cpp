// Lines "doing ...", then "ready ..." or "failed CODE ..." with "hint ...".
#include "cli/readiness.hpp"

#include <charconv>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.hpp"
#include "blobs/files.hpp"
#include "cli/speak.hpp"
#include "process/terminal.hpp"
#include "store/files.hpp"
#include "view/first_few.hpp"
#include "view/utf8.hpp"

namespace muster::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kDoing = "doing ";
constexpr std::string_view kReady = "ready ";
constexpr std::string_view kFailed = "failed ";
constexpr std::string_view kHint = "hint ";
constexpr std::size_t kTail = 65536;  // of an answer, whose end counts
constexpr std::string_view kEmptyLine = "\r\x1b[K";

void write_line(std::string_view word, std::string_view text) {
  (void)store::write_all(STDOUT_FILENO, fmt::format("{}{}\n", word, view::one_line(text)));
}

base::Error error_in(std::string_view text) {
  base::Error error{base::Fault::cannot_start, {}, {}, {}};
  int code = 0;
  const auto [after, wrong] = std::from_chars(text.data(), text.data() + text.size(), code);
  if (wrong == std::errc() && base::looks_like_fault(code)) {
    error.fault = static_cast<base::Fault>(code - base::exit_code(base::Fault::usage));
  }
  const std::size_t blank = text.find(' ');
  error.what = blank == std::string_view::npos ? "" : text.substr(blank + 1);
  return error;
}

std::string tail_of(const std::string& path) {
  const process::UniqueFd file = blobs::open_regular(path);
  struct stat facts {};
  if (!file || ::fstat(file.get(), &facts) != 0) return "";
  const off_t from = std::max<off_t>(0, facts.st_size - static_cast<off_t>(kTail));
  std::string text(kTail, '\0');
  const ssize_t size = ::pread(file.get(), text.data(), text.size(), from);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return text;
}

// What is seen while hosts are at work.
class Watch {
 public:
  Watch(const Errand& errand, const std::string& what)
      : errand_(errand), what_(what), is_terminal_(draws_progress()) {}
  ~Watch() {
    if (has_line_) say(kEmptyLine);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void look() {
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    const std::string words = state();
    if (words.empty()) return;
    if (is_terminal_) {
      has_line_ = true;
      next_ = now + kOften;
      const std::size_t room = process::terminal_size(STDERR_FILENO).columns;
      std::string line = fmt::format("muster: {}", words);
      if (room > 1 && line.size() >= room) line.resize(room - 1);
      say(fmt::format("{}{}\r", kEmptyLine, view::one_line(line)));
      return;
    }
    next_ = now + pause_;
    pause_ = kSeldom;
    note(words);
  }

 private:
  static constexpr std::chrono::seconds kPatience{1};
  static constexpr std::chrono::milliseconds kOften{300};
  static constexpr std::chrono::seconds kSeldom{60};

  // "" while nobody has anything to do.
  [[nodiscard]] std::string state() const {
    std::size_t ready = 0;
    std::vector<std::string> busy;
    std::string doing;
    for (std::size_t i = 0; i < errand_.hosts.size(); ++i) {
      const Readiness one = read_readiness(tail_of(answer_file(errand_, i)));
      if (one.ready || one.failed) {
        ++ready;
      } else if (!one.doing.empty()) {
        if (busy.empty()) doing = one.doing;
        busy.push_back(errand_.hosts[i].name);
      }
    }
    if (busy.empty()) return "";
    const auto name = [&](std::size_t i) { return busy[i]; };
    const std::string of_all = errand_.hosts.size() > 1 ? fmt::format(" ({} of {} hosts are ready)",
                                                                      ready, errand_.hosts.size())
                                                        : "";
    return fmt::format("{} on {}: {}{}", what_, view::first_few(busy.size(), name, ", ", 3), doing,
                       of_all);
  }

  const Errand& errand_;
  const std::string& what_;
  bool is_terminal_;
  bool has_line_ = false;
  Clock::time_point next_ = Clock::now() + kPatience;
  std::chrono::seconds pause_{10};
};

base::Error joined(const std::vector<std::string>& names, const std::vector<base::Error>& errors) {
  base::Error error = errors.front();
  std::vector<std::string> same;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (errors[i].what == error.what) same.push_back(names[i]);
  }
  const auto name = [&](std::size_t i) { return same[i]; };
  const std::size_t others = names.size() - same.size();
  error.what = fmt::format("{}: {}{}", view::first_few(same.size(), name), error.what,
                           others == 0 ? "" : fmt::format("; and {} other hosts failed", others));
  return error;
}

}  // namespace

void ReadyAnswer::doing(std::string_view what) {
  constexpr std::chrono::milliseconds kRest{300};
  constexpr std::size_t kLongest = 160;
  const Clock::time_point now = Clock::now();
  if (now < next_ || what.empty()) return;
  next_ = now + kRest;
  write_line(kDoing, what.substr(0, kLongest));
}

int ReadyAnswer::ready(std::string_view what) {
  write_line(kReady, what);
  return 0;
}

// The code is that of an errand that was done: its answer says what is wrong.
int ReadyAnswer::failed(const base::Error& error) {
  write_line(kFailed, fmt::format("{} {}", base::exit_code(error.fault), error.what));
  if (!error.hint.empty()) write_line(kHint, error.hint);
  return 0;
}

Readiness read_readiness(std::string_view answer) {
  Readiness readiness;
  answer = answer.substr(0, answer.rfind('\n') == std::string_view::npos ? 0 : answer.rfind('\n'));
  for (const std::string& line : base::split(answer, "\n")) {
    const std::string_view text = line;
    if (text.starts_with(kDoing)) readiness.doing = text.substr(kDoing.size());
    if (text.starts_with(kReady)) readiness.ready = text.substr(kReady.size());
    if (text.starts_with(kFailed)) readiness.failed = error_in(text.substr(kFailed.size()));
    if (text.starts_with(kHint) && readiness.failed) {
      readiness.failed->hint = text.substr(kHint.size());
    }
  }
  return readiness;
}

MadeReady make_ready(Errand errand, const std::string& what, const model::JobSpec& like,
                     const Invocation& invocation) {
  MadeReady made;
  {
    Watch watch(errand, what);
    errand.tick = [&] { watch.look(); };
    made.report = run_errand(errand, like, invocation);
  }
  if (made.report.cause != model::Cause::completed || !made.report.same_hosts.empty()) return made;
  std::vector<std::string> names;
  std::vector<base::Error> errors;
  for (std::size_t i = 0; i < errand.hosts.size(); ++i) {
    const std::string& host = errand.hosts[i].name;
    Readiness one = read_readiness(tail_of(answer_file(errand, i)));
    made.ready.push_back(one.ready.value_or(""));
    if (one.ready) continue;
    names.push_back(host);
    errors.push_back(one.failed.value_or(
        base::Error{base::Fault::lost, "the errand ended without an answer", {}, {}}));
  }
  if (errors.empty()) return made;
  made.report.cause = model::Cause::fault;
  made.report.error = joined(names, errors);
  return made;
}

}  // namespace muster::cli
