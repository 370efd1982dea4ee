// Writes to the streams of the person who called.
#include "cli/speak.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "process/signal_mask.hpp"
#include "process/terminal.hpp"
#include "process/write_all.hpp"
#include "spec/number.hpp"
#include "view/report.hpp"

namespace muster::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// COLUMNS, as for other programs, or what the terminal says; 0: there is no terminal.
std::size_t width_of(int descriptor) {
  constexpr spec::Bounds kBounds = {1, 10'000};
  if (::isatty(descriptor) != 1) return 0;
  const auto said = spec::read_number("COLUMNS", variable("COLUMNS"), kBounds, base::Fault::usage);
  return said ? *said : process::terminal_size(descriptor).columns;
}

}  // namespace

int print(std::string_view text) {
  const int error = process::write_unless_signalled(STDOUT_FILENO, text).error;
  if (error == 0) return 0;
  if (error == EPIPE) return 128 + SIGPIPE;  // where SIGPIPE itself is ignored
  if (error == ECANCELED) return 128 + process::waiting_signal();
  return complain({base::Fault::output,
                   fmt::format("cannot write to stdout: {}", std::strerror(error)),
                   {},
                   {}});
}

int print_version() { return print("muster " MUSTER_VERSION "\n"); }

void speak_as(const front::Voice& voice) {
  if (!voice.colour.empty()) ::setenv(front::kColor, voice.colour.c_str(), 1);
  if (voice.quiet) ::setenv(front::kQuiet, "yes", 1);
}

bool is_quiet() { return !variable(front::kQuiet).empty(); }

void note(std::string_view line) {
  if (!is_quiet()) warn(line);
}

void warn(std::string_view line) { say(fmt::format("muster: {}\n", line)); }

bool draws_progress() {
  return ::isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb" && !is_quiet();
}

view::Style style_for(int descriptor) {
  view::Style style = view::style({.muster = variable(front::kColor),
                                   .no_color = variable("NO_COLOR"),
                                   .force = variable("CLICOLOR_FORCE"),
                                   .terminal = variable("TERM")},
                                  ::isatty(descriptor) == 1);
  style.width = width_of(descriptor);
  return style;
}

std::size_t help_columns() {
  constexpr std::size_t kUsual = 80;
  const std::size_t width = width_of(STDOUT_FILENO);
  return width == 0 ? kUsual : std::clamp<std::size_t>(width, 40, 100);
}

bool say(std::string_view text) {
  return process::write_unless_signalled(STDERR_FILENO, text).error == 0;
}

int complain(const base::Error& error) {
  say(view::error(error, style_for(STDERR_FILENO)));
  return base::exit_code(error.fault);
}

}  // namespace muster::cli
