// A list of signals, and those that keep their meaning for mpirun itself.
#include "front/mpirun/signals.hpp"

#include <algorithm>
#include <csignal>

#include "base/signal_names.hpp"
#include "base/words.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;

// They end or suspend the job, or cannot be caught.
constexpr int kOurs[] = {SIGTERM, SIGHUP,  SIGINT,  SIGKILL, SIGPIPE, SIGQUIT, SIGSTOP,
                         SIGTSTP, SIGCONT, SIGCHLD, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL};

}  // namespace

std::vector<std::int32_t> usual_signals() {
  return {SIGUSR1, SIGUSR2, SIGABRT, SIGALRM, SIGVTALRM, SIGPROF,
          SIGPWR,  SIGSYS,  SIGTRAP, SIGURG,  SIGXCPU,   SIGXFSZ};
}

base::Result<void> set_forward_signals(MpirunDraft& draft, const Typed& typed) {
  std::vector<std::int32_t> signals = usual_signals();
  const auto words = base::split(typed.value, ",");
  if (words.size() == 1 && base::lower(words.front()) == "none") signals.clear();
  for (const std::string& word : words) {
    if (base::lower(word) == "none" && words.size() == 1) break;
    const auto number = base::signal_number(word);
    if (!number) {
      return fail(Fault::usage, "for example: USR1,SIGUSR2; or none",
                  "{} must be a list of signals, not {}", typed.option, spec::in_quotes(word));
    }
    if (std::ranges::find(kOurs, *number) != std::end(kOurs)) {
      // Two of them are in Open MPI's own list: they reach the ranks as stop and continue.
      if (*number == SIGTSTP || *number == SIGCONT) continue;
      return fail(Fault::usage, "", "{}: {} is not passed on: it is for mpirun itself",
                  typed.option, spec::in_quotes(word));
    }
    if (std::ranges::find(signals, *number) == signals.end()) signals.push_back(*number);
  }
  draft.request.spec.forwarded_signals = std::move(signals);
  return {};
}

}  // namespace muster::front
