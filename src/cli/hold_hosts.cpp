// Tells which hosts the job has, and waits.
#include "cli/hold_hosts.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <unistd.h>

#include "process/write_all.hpp"

namespace muster::cli {

int hold_hosts(const Invocation& invocation) {
  std::string text;
  for (const std::string& one : invocation.environment) text += one + '\0';
  text += '\0';
  if (process::write_all(STDOUT_FILENO, text).error != 0)
    return base::exit_code(base::Fault::output);
  std::array<char, 64> ignored;
  for (;;) {
    const ssize_t size = ::read(STDIN_FILENO, ignored.data(), ignored.size());
    if (size == 0 || (size < 0 && errno != EINTR)) return 0;
  }
}

}  // namespace muster::cli
