// Forks, waits, and reads what sanitizers wrote.
#include "talk/subject.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:exitcode=99:quarantine_size_mb=32";
}
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1:exitcode=99"; }
#endif

namespace muster::talk {
namespace {

namespace fs = std::filesystem;

constexpr int kGlance = 50;  // ms

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string end_of(const std::string& text, std::size_t size) {
  return text.size() <= size ? text : text.substr(text.size() - size);
}

std::vector<pid_t> children() {
  std::ifstream list(fmt::format("/proc/self/task/{}/children", ::getpid()));
  return {std::istream_iterator<pid_t>(list), {}};
}

// Waits so long for a child to end, and reaps it.
bool reap(pid_t pid, int milliseconds, int* status) {
  const process::UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  pollfd watched{handle.get(), POLLIN, 0};
  if (::poll(&watched, 1, milliseconds) <= 0) return false;
  return ::waitpid(pid, status, 0) == pid;
}

// They end one that has only just begun; later they are events.
bool a_person_sends(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT ||
         signal == SIGUSR1;
}

[[noreturn]] void become(const std::string& folder, int in, int out,
                         const std::function<void()>& run) {
  ::setpgid(0, 0);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND;
  const int file = ::open((folder + "/stderr").c_str(), kFlags, 0600);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out >= 0 ? out : file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  ::close(file);
  run();
  std::_Exit(0);
}

}  // namespace

Folder::Folder() : path_((fs::temp_directory_path() / "muster-talk-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) std::abort();
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void report_below([[maybe_unused]] const std::string& folder) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_set_report_path((folder + "/report").c_str());
#endif
}

Subject::Subject(const Folder& folder, process::UniqueFd in, process::UniqueFd out,
                 const std::function<void()>& run)
    : folder_(folder.path()) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_ = ::fork();
  if (pid_ == 0) become(folder_, in.get(), out.get(), run);
}

Subject::~Subject() {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
  for (auto left = children(); !left.empty(); left = children()) {
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    for (const pid_t pid : left) ::waitpid(pid, nullptr, 0);
  }
}

std::string Subject::verdict(int seconds) {
  std::string wrong = end_of_child(seconds);
  const std::string left = leftovers(wrong.empty() ? seconds : 1);
  const std::string sanitizer = complaint();
  if (!sanitizer.empty()) return sanitizer;
  return wrong.empty() ? left : wrong;
}

std::string Subject::end_of_child(int seconds) {
  int status = 0;
  int waited = 0;
  for (; !reap(pid_, kGlance, &status); waited += kGlance) {
    if (waited > 1000 * seconds) return fmt::format("no end after {} s", seconds);
    ::kill(pid_, SIGCONT);  // it may have suspended itself late
  }
  pid_ = 0;
  if (WIFSIGNALED(status) && !a_person_sends(WTERMSIG(status))) {
    return fmt::format("ended by signal {}", WTERMSIG(status));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
    return fmt::format("ended with code {}", WEXITSTATUS(status));
  return {};
}

// Orphans of the subject fall to us.
std::string Subject::leftovers(int seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (auto left = children(); !left.empty(); left = children()) {
    if (reap(left.front(), kGlance, nullptr) || std::chrono::steady_clock::now() < deadline)
      continue;
    std::string name = text_of(fmt::format("/proc/{}/cmdline", left.front()));
    for (char& c : name) c = c == '\0' ? ' ' : c;
    return fmt::format("it left {} process(es), the first is: {}", left.size(), name);
  }
  return {};
}

std::string Subject::complaint() const {
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("report.")) return "a sanitizer complains\n" + text_of(entry.path());
  }
  return {};
}

std::string Subject::words() const { return end_of(text_of(folder_ + "/stderr"), 4000); }

}  // namespace muster::talk
