// The table of what signals mean when a process dies of them.
#include "view/signals.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <fmt/format.h>

#include "base/signal_names.hpp"
#include "view/report.hpp"

namespace muster::view {
namespace {

struct Row {
  int number;
  std::string_view meaning;
};

constexpr std::array kMeanings{
    Row{SIGHUP, "its terminal or session went away"},
    Row{SIGINT, "interrupted from a keyboard"},
    Row{SIGQUIT, "quit from a keyboard"},
    Row{SIGILL, "instruction that this processor does not know"},
    Row{SIGTRAP, "trap or breakpoint"},
    Row{SIGABRT, "it aborted itself"},
    Row{SIGBUS, "access to memory that no longer exists"},
    Row{SIGFPE, "division by zero or arithmetic fault"},
    Row{SIGKILL, "sent by a user, a batch system or the kernel's out-of-memory killer"},
    Row{SIGUSR1, "user-defined; some schedulers send it before a time limit"},
    Row{SIGSEGV, "invalid memory reference"},
    Row{SIGUSR2, "user-defined; some schedulers send it before a time limit"},
    Row{SIGPIPE, "it wrote to a pipe or socket without a reader"},
    Row{SIGALRM, "a timer of its own ran out"},
    Row{SIGTERM, "asked to terminate"},
    Row{SIGXCPU, "processor time limit reached"},
    Row{SIGXFSZ, "file size limit reached"},
    Row{SIGVTALRM, "a timer of its own ran out"},
    Row{SIGPROF, "a profiling timer ran out"},
    Row{SIGPWR, "power failure"},
    Row{SIGSYS, "system call that is not allowed here"},
};

}  // namespace

SignalFacts signal_facts(int number) {
  const auto* row = std::ranges::find(kMeanings, number, &Row::number);
  return {base::signal_name(number), row == kMeanings.end() ? std::string_view() : row->meaning};
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
