// Writes to the streams of the person who called.
#include "cli/speak.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <unistd.h>

#include "process/write_all.hpp"
#include "view/report.hpp"

namespace muster::cli {

int print(std::string_view text) {
  const int error = process::write_all(STDOUT_FILENO, text).error;
  if (error == 0) return 0;
  if (error == EPIPE) return 128 + SIGPIPE;  // where SIGPIPE itself is ignored
  return complain({base::Fault::output,
                   fmt::format("cannot write to stdout: {}", std::strerror(error)),
                   {},
                   {}});
}

bool say(std::string_view text) { return process::write_all(STDERR_FILENO, text).error == 0; }

int complain(const base::Error& error) {
  say(view::error(error, {::isatty(STDERR_FILENO) == 1}));
  return base::exit_code(error.fault);
}

}  // namespace muster::cli
