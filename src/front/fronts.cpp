// The table of front ends. A new launcher is one row here and its own files beside this one.
#include <algorithm>

#include "base/words.hpp"
#include "front/called/front.hpp"
#include "front/called/options.hpp"
#include "front/deepspeed/front.hpp"
#include "front/deepspeed/options.hpp"
#include "front/front.hpp"
#include "front/horovod/front.hpp"
#include "front/horovod/options.hpp"
#include "front/hydra/front.hpp"
#include "front/hydra/options.hpp"
#include "front/job/front.hpp"
#include "front/mpirun/front.hpp"
#include "front/record/front.hpp"
#include "front/run/front.hpp"
#include "front/run/options.hpp"
#include "front/torch/front.hpp"
#include "front/torch/options.hpp"

namespace muster::front {
namespace {

constexpr Front kFronts[] = {
    {"run", "[OPTIONS] PROGRAM [ARGS]", "Start a job, on this machine or on many.", false, 0,
     read_run, run_options},
    {"mpirun mpiexec orterun prterun mpirun.openmpi mpiexec.openmpi", "[OPTIONS] PROGRAM [ARGS]",
     "Like Open MPI's mpirun.", true, 1, read_mpirun, mpirun_options},
    {"mpiexec.hydra mpiexec.mpich mpirun.mpich", "[OPTIONS] PROGRAM [ARGS]",
     "Like the mpiexec of MPICH and Intel MPI.", true, 255, read_hydra, hydra_options},
    {"horovodrun", "-np N [OPTIONS] PROGRAM [ARGS]", "Like Horovod's horovodrun.", true, 2,
     read_horovodrun, horovod_options, false, 1},
    {"torchrun", "[OPTIONS] SCRIPT [ARGS]", "Like PyTorch's torchrun.", true, 2, read_torchrun,
     torchrun_options, false, 1},
    {"launch", "[OPTIONS] SCRIPT [ARGS]", "Like torch.distributed.launch.", false, 2, read_launch,
     launch_options, false, 1},
    {"submit", "[OPTIONS] FILE", "Run the job described by a job file.", false, 0, read_submit,
     submit_options, true},
    {"explain", "[OPTIONS] FILE | -- COMMAND", "Show what a job would do, where and why.", false, 0,
     read_explain, explain_options, true},
    {"validate", "[OPTIONS] FILE", "Check a job file and print all errors in it.", false, 0,
     read_validate, validate_options, true},
    {"schema", "[OPTIONS]", "Print the JSON Schema of job files, for editors.", false, 0,
     read_schema, schema_options, true},
    {"export", "[OPTIONS] SCHEDULER FILE", "Write a job down for a scheduler.", false, 0,
     read_export, export_options, true},
    {"ps", "[OPTIONS]", "List runs, the newest last.", false, 0, read_record<RecordVerb::list>,
     record_options<RecordVerb::list>, true},
    {"show", "[OPTIONS] RUN", "Show the state of a run, or how it ended.", false, 0,
     read_record<RecordVerb::show>, record_options<RecordVerb::show>, true},
    {"logs", "[OPTIONS] RUN", "Print the output of a run's ranks.", false, 0,
     read_record<RecordVerb::logs>, record_options<RecordVerb::logs>, true},
    {"wait", "[OPTIONS] RUN...", "Wait for the end of runs.", false, 0,
     read_record<RecordVerb::wait>, record_options<RecordVerb::wait>, true},
    {"stop", "[OPTIONS] RUN...", "Stop runs, like Ctrl-C.", false, 0, read_record<RecordVerb::stop>,
     record_options<RecordVerb::stop>, true},
    {"report", "[OPTIONS] RUN", "Print the report of a run.", false, 0,
     read_record<RecordVerb::report>, record_options<RecordVerb::report>, true},
    {"graph", "[OPTIONS] RUN", "Draw the steps of a pipeline.", false, 0,
     read_record<RecordVerb::graph>, record_options<RecordVerb::graph>, true},
    {"rm", "[OPTIONS] [RUN...]", "Remove records of ended runs, with output.", false, 0,
     read_record<RecordVerb::remove>, record_options<RecordVerb::remove>, true},
    {"gc", "[OPTIONS]", "Remove what no record needs, and old records.", false, 0,
     read_record<RecordVerb::collect>, record_options<RecordVerb::collect>, true},
    {"rerun", "[OPTIONS] RUN", "Start a recorded run again, same command.", false, 0,
     read_record<RecordVerb::rerun>, record_options<RecordVerb::rerun>, true},
    {"reindex", "[OPTIONS]", "Rebuild the index of all records.", false, 0,
     read_record<RecordVerb::reindex>, record_options<RecordVerb::reindex>, true},
    {"lead", "[OPTIONS] -- COMMAND", "Hold hosts while a command runs.", false, 0, read_lead,
     lead_options},
    {"join", "[OPTIONS] ADDRESS:PORT", "Offer this host to muster lead.", false, 0, read_join,
     join_options, true},
    {"deepspeed", "[OPTIONS] SCRIPT [ARGS]", "Like DeepSpeed's launcher.", true, 2, read_deepspeed,
     deepspeed_options, false, 1},
};

bool has_name(const Front& front, std::string_view name) {
  for (std::string_view rest = front.names; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, blank) == name) return true;
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  return false;
}

}  // namespace

std::span<const Front> fronts() { return kFronts; }

std::vector<std::string> names_of_launchers() {
  std::vector<std::string> names = {"muster"};
  for (const Front& front : fronts()) {
    if (!front.drop_in) continue;
    for (std::string& name : base::split(front.names, " ")) names.push_back(std::move(name));
  }
  return names;
}

const Front* front_of(std::string_view name) {
  const auto* found = std::ranges::find_if(
      kFronts, [&](const Front& front) { return !name.empty() && has_name(front, name); });
  return found == std::end(kFronts) ? nullptr : found;
}

}  // namespace muster::front
