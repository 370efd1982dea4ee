// The table of signals.
#include "base/signal_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>

namespace muster::base {
namespace {

struct Row {
  int number;
  std::string_view name;
};

constexpr std::array kSignals{
    Row{SIGHUP, "SIGHUP"},       Row{SIGINT, "SIGINT"},       Row{SIGQUIT, "SIGQUIT"},
    Row{SIGILL, "SIGILL"},       Row{SIGTRAP, "SIGTRAP"},     Row{SIGABRT, "SIGABRT"},
    Row{SIGBUS, "SIGBUS"},       Row{SIGFPE, "SIGFPE"},       Row{SIGKILL, "SIGKILL"},
    Row{SIGUSR1, "SIGUSR1"},     Row{SIGSEGV, "SIGSEGV"},     Row{SIGUSR2, "SIGUSR2"},
    Row{SIGPIPE, "SIGPIPE"},     Row{SIGALRM, "SIGALRM"},     Row{SIGTERM, "SIGTERM"},
    Row{SIGSTKFLT, "SIGSTKFLT"}, Row{SIGCHLD, "SIGCHLD"},     Row{SIGCONT, "SIGCONT"},
    Row{SIGSTOP, "SIGSTOP"},     Row{SIGTSTP, "SIGTSTP"},     Row{SIGTTIN, "SIGTTIN"},
    Row{SIGTTOU, "SIGTTOU"},     Row{SIGURG, "SIGURG"},       Row{SIGXCPU, "SIGXCPU"},
    Row{SIGXFSZ, "SIGXFSZ"},     Row{SIGVTALRM, "SIGVTALRM"}, Row{SIGPROF, "SIGPROF"},
    Row{SIGWINCH, "SIGWINCH"},   Row{SIGIO, "SIGIO"},         Row{SIGPWR, "SIGPWR"},
    Row{SIGSYS, "SIGSYS"},
};

constexpr int kNumberMax = 64;

[[nodiscard]] bool same_in_any_case(std::string_view a, std::string_view b) {
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; };
  return std::ranges::equal(a, b, {}, upper, upper);
}

}  // namespace

std::string_view signal_name(int number) {
  const auto* row = std::ranges::find(kSignals, number, &Row::number);
  return row == kSignals.end() ? std::string_view() : row->name;
}

std::optional<int> signal_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    return number >= 1 && number <= kNumberMax ? std::optional(number) : std::nullopt;
  }
  for (const Row& row : kSignals) {
    if (same_in_any_case(text, row.name) || same_in_any_case(text, row.name.substr(3))) {
      return row.number;
    }
  }
  return std::nullopt;
}

}  // namespace muster::base
