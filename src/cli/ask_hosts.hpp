// ask_hosts: asks hosts for their hardware, which only they know.
#pragma once

#include "cli/cli.hpp"
#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "model/report.hpp"

namespace muster::cli {

// Greets each host whose agent the head can start, and fills in its topology and cpus. The report
// says `completed`, or why not all could be asked; then the inventory is as it was.
[[nodiscard]] model::RunReport ask_hosts(const model::JobSpec& spec, model::Inventory& inventory,
                                         const Invocation& invocation);

}  // namespace muster::cli
