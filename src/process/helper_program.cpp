// The helper's file lives in memory while somebody executes it.
#include "process/helper_program.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/helper_outside.hpp"
#include "process/pipe.hpp"
#include "process/shortage.hpp"
#include "process/spawn.hpp"
#include "process/write_all.hpp"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace muster::process {
namespace {

constexpr const char* helper_name = "muster-helper";

std::string_view& helper_bytes() {
  static std::string_view file;
  return file;
}

// Kernels before 6.3 do not know the second flag.
UniqueFd executable_memory() {
  const int fd = ::memfd_create(helper_name, MFD_CLOEXEC | MFD_EXEC);
  if (fd >= 0 || errno != EINVAL) return UniqueFd(fd);
  return UniqueFd(::memfd_create(helper_name, MFD_CLOEXEC));
}

base::Result<std::string> read_to_end(const UniqueFd& pipe) {
  std::string text;
  std::array<char, 16384> piece;
  for (;;) {
    const ssize_t got = ::read(pipe.get(), piece.data(), piece.size());
    if (got == 0) return text;
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno != EINTR) {
      return tl::unexpected(system_error("cannot read the helper's answer", errno));
    }
  }
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

// "what", a line break, and "hint" as tell_owner() writes them.
base::Error error_of(int code, const std::string& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  base::Error error{
      static_cast<base::Fault>(code - base::exit_code(base::Fault{})), text.substr(0, end), {}, {}};
  if (end < text.size()) error.hint = text.substr(end + 1);
  return error;
}

base::Result<pid_t> start(const std::vector<std::string>& words, const UniqueFd& output) {
  const auto file = helper_file();
  if (!file) return tl::unexpected(file.error());
  std::vector<char*> arguments{const_cast<char*>(helper_name)};  // exec does not write
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  SpawnRequest request;
  request.program = kHelperPath;
  request.arguments = arguments.data();
  request.environment = environ;
  request.descriptors = {-1, output.get(), -1, file->get()};
  request.when_caller_ends = SIGKILL;
  const SpawnResult result = Spawner().spawn(request);
  if (result.pid == 0) return tl::unexpected(system_error("cannot start the helper", result.error));
  return result.pid;
}

base::Result<std::string> judged(base::Result<std::string> text, int code, int signal) {
  if (!text || (code == EXIT_SUCCESS && signal == 0)) return text;
  if (signal == 0 && base::looks_like_fault(code)) return tl::unexpected(error_of(code, *text));
  return base::fail(base::Fault::internal, {}, "the helper ended with {} {}",
                    signal == 0 ? "code" : "signal", signal == 0 ? code : signal);
}

base::Result<std::string> ask_outside(const std::vector<std::string>& words, Pipe pipe) {
  const auto connection = start_outside(words, -1, pipe.write.get());
  if (!connection) return tl::unexpected(connection.error());
  pipe.write.reset();
  auto text = read_to_end(pipe.read);
  const OutsideEnd end = wait_outside(*connection);
  return judged(std::move(text), end.code, end.signal);
}

}  // namespace

void set_helper(std::string_view file) { helper_bytes() = file; }

base::Result<UniqueFd> helper_file() {
  constexpr const char* what = "cannot keep the helper in memory";
  UniqueFd file = executable_memory();
  if (!file) return tl::unexpected(system_error(what, errno));
  const Written written = write_all(file.get(), helper_bytes());
  if (written.error != 0) return tl::unexpected(system_error(what, written.error));
  return file;
}

base::Result<std::string> ask_helper(const std::vector<std::string>& words) {
  auto pipe = make_pipe();
  if (!pipe) return tl::unexpected(pipe.error());
  if (!outside().empty()) return ask_outside(words, std::move(*pipe));
  const auto pid = start(words, pipe->write);
  if (!pid) return tl::unexpected(pid.error());
  pipe->write.reset();
  auto text = read_to_end(pipe->read);
  const int status = wait_for(*pid);
  const bool exited = WIFEXITED(status);
  return judged(std::move(text), exited ? WEXITSTATUS(status) : 0, exited ? 0 : WTERMSIG(status));
}

int tell_owner(const base::Result<std::string>& answer) {
  const std::string text =
      answer ? *answer : fmt::format("{}\n{}", answer.error().what, answer.error().hint);
  static_cast<void>(write_all(STDOUT_FILENO, text));
  return answer ? EXIT_SUCCESS : base::exit_code(answer.error().fault);
}

}  // namespace muster::process
