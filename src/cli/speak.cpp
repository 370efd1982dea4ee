// Writes to the streams of the person who called.
#include "cli/speak.hpp"

#include <unistd.h>

#include "view/report.hpp"

namespace muster::cli {

void print(std::FILE* where, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), where);
  std::fflush(where);
}

int complain(const base::Error& error) {
  print(stderr, view::error(error, {::isatty(STDERR_FILENO) == 1}));
  return base::exit_code(error.fault);
}

}  // namespace muster::cli
