// What tasks say of their own failures: the files for it, and what was found in them.
#include <algorithm>

#include "host/clock.hpp"
#include "host/host_tasks.hpp"
#include "machine/host_clock.hpp"

namespace muster::host {

bool HostTasks::wants_error_file(const World& world, const machine::TaskOrder& task) const {
  const bool may_call_launchers =
      launchers_ || !head_above_.empty() || world.orders.tasks.size() == 1;
  return world.programs[task.app].hooked || world.orders.error_files || may_call_launchers;
}

std::vector<std::string> HostTasks::error_file(const Ordered& ordered) {
  if (!wants_error_file(*ordered.world, *ordered.task)) return {};
  const Program& program = ordered.world->programs[ordered.task->app];
  const bool for_torch = ordered.world->orders.error_files;
  const auto whom = program.hooked ? ErrorFiles::For::python
                    : for_torch    ? ErrorFiles::For::torch
                                   : ErrorFiles::For::launchers;
  const auto path = program.environment.find("PYTHONPATH");
  return error_files_.open(ordered.task->rank, whom,
                           path == program.environment.end() ? "" : path->second);
}

// A launcher may have failed long before its task did, which may have had another reason.
void HostTasks::add_what_it_told(wire::Exited& exited) {
  ErrorFiles::Told told = error_files_.take(exited.exit.rank);
  if (!exited.exit.failed() || told.text.empty()) return;
  exited.error_file = std::move(told.text);
  if (!told.is_launchers) exited.told_us = machine::to_wire(now() - told.ago);
}

}  // namespace muster::host
