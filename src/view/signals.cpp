// The table of signals: number, name, and what it means when a process dies of it.
#include "view/signals.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>

#include "view/report.hpp"

namespace muster::view {
namespace {

struct Row {
  int number;
  SignalFacts facts;
};

constexpr std::array kSignals{
    Row{SIGHUP, {"SIGHUP", "its terminal or session went away"}},
    Row{SIGINT, {"SIGINT", "interrupted from a keyboard"}},
    Row{SIGQUIT, {"SIGQUIT", "quit from a keyboard"}},
    Row{SIGILL, {"SIGILL", "instruction that this processor does not know"}},
    Row{SIGTRAP, {"SIGTRAP", "trap or breakpoint"}},
    Row{SIGABRT, {"SIGABRT", "it aborted itself"}},
    Row{SIGBUS, {"SIGBUS", "memory that is not there any more"}},
    Row{SIGFPE, {"SIGFPE", "division by zero or arithmetic fault"}},
    Row{SIGKILL, {"SIGKILL", "somebody or the kernel's out-of-memory killer ended it"}},
    Row{SIGUSR1, {"SIGUSR1", "user-defined; some schedulers send it before a time limit"}},
    Row{SIGSEGV, {"SIGSEGV", "invalid memory reference"}},
    Row{SIGUSR2, {"SIGUSR2", "user-defined; some schedulers send it before a time limit"}},
    Row{SIGPIPE, {"SIGPIPE", "it wrote to a pipe or socket that nobody reads"}},
    Row{SIGALRM, {"SIGALRM", "a timer of its own ran out"}},
    Row{SIGTERM, {"SIGTERM", "somebody asked it to end"}},
    Row{SIGSTKFLT, {"SIGSTKFLT", ""}},
    Row{SIGCHLD, {"SIGCHLD", ""}},
    Row{SIGCONT, {"SIGCONT", ""}},
    Row{SIGSTOP, {"SIGSTOP", ""}},
    Row{SIGTSTP, {"SIGTSTP", ""}},
    Row{SIGTTIN, {"SIGTTIN", ""}},
    Row{SIGTTOU, {"SIGTTOU", ""}},
    Row{SIGURG, {"SIGURG", ""}},
    Row{SIGXCPU, {"SIGXCPU", "processor time limit reached"}},
    Row{SIGXFSZ, {"SIGXFSZ", "file size limit reached"}},
    Row{SIGVTALRM, {"SIGVTALRM", "a timer of its own ran out"}},
    Row{SIGPROF, {"SIGPROF", "a profiling timer ran out"}},
    Row{SIGWINCH, {"SIGWINCH", ""}},
    Row{SIGIO, {"SIGIO", ""}},
    Row{SIGPWR, {"SIGPWR", "power failure"}},
    Row{SIGSYS, {"SIGSYS", "system call that is not allowed here"}},
};

}  // namespace

SignalFacts signal_facts(int number) {
  const auto* row = std::ranges::find(kSignals, number, &Row::number);
  return row == kSignals.end() ? SignalFacts{} : row->facts;
}

std::string signal_label(int number) {
  const SignalFacts facts = signal_facts(number);
  if (facts.name.empty()) return fmt::format("signal {}", number);
  return fmt::format("signal {} ({})", number, facts.name);
}

std::string signal_words(int number) {
  const SignalFacts facts = signal_facts(number);
  if (facts.meaning.empty()) return signal_label(number);
  return fmt::format("signal {} ({}, {})", number, facts.name, facts.meaning);
}

}  // namespace muster::view
