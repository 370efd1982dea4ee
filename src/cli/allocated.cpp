// salloc, then the run.
#include "cli/allocated.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/shell_word.hpp"
#include "batch/slurm.hpp"
#include "cli/batch_environment.hpp"
#include "cli/head_options.hpp"
#include "cli/hold_hosts.hpp"
#include "cli/speak.hpp"
#include "front/call.hpp"
#include "front/inherited.hpp"
#include "process/signal_mask.hpp"
#include "queue/allocation.hpp"
#include "view/signals.hpp"

namespace muster::cli {
namespace {

using queue::Allocation;

batch::Words holder_words() { return {own_path(), "agent", std::string(kHoldsHosts)}; }

// For people who look at the queue.
batch::Wish named(const front::RunRequest& request) {
  batch::Wish wish = *request.allocation;
  const std::string& program = request.spec.apps.front().command.front();
  wish.name = program.substr(program.rfind('/') + 1);
  return wish;
}

Invocation in_job(const Invocation& invocation, const Allocation& allocation) {
  Invocation inside = invocation;
  inside.environment = allocation.environment();
  inside.holder = {allocation.says(),
                   [](std::string_view said) { return batch::kSlurm.allocating(said).end; }};
  return inside;
}

int withdrawn() {
  const int signal = process::waiting_signal();
  note(fmt::format("the request for hosts was withdrawn: {}", view::signal_label(signal)));
  return 128 + signal;
}

int without_hosts(const queue::NoHosts& why) {
  if (!why.code) return complain(why.error);
  warn(why.error.what);
  return *why.code;
}

}  // namespace

int show_allocation(const front::RunRequest& request) {
  std::vector<std::string> words = batch::kSlurm.allocate(named(request), {});
  for (std::string& word : words) word = base::shell_word(word);
  return print(fmt::format("Slurm would be asked for hosts:\n  {}\n", fmt::join(words, " ")));
}

int run_allocated(front::RunRequest& request, const Invocation& invocation,
                  const std::function<int(const Invocation&)>& run) {
  const process::HeldSignals held;
  const queue::Commands commands(batch::kSlurm, batch_environment(invocation));
  const auto allocation =
      Allocation::wait_for(commands, named(request), holder_words(),
                           {[](const std::string& line) { note(line); }, process::no_signal_waits});
  if (!allocation) return without_hosts(allocation.error());
  if (*allocation == nullptr) return withdrawn();
  const Invocation inside = in_job(invocation, **allocation);
  const auto taken =
      front::take_allocation({.called = "run", .environment = inside.environment}, request);
  return taken ? run(inside) : complain(taken.error());
}

}  // namespace muster::cli
