// The table of Slurm: words of its commands.
#include "batch/slurm.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "batch/slurm_answers.hpp"
#include "batch/slurm_refusal.hpp"
#include "batch/slurm_script.hpp"

namespace muster::batch {
namespace {

// What sbatch itself looks at stays (sbatch(1), INPUT ENVIRONMENT VARIABLES).
bool is_of_job(std::string_view variable) {
  constexpr std::array<std::string_view, 3> kInputs = {"SLURM_CONF", "SLURM_DEBUG_FLAGS",
                                                       "SLURM_UMASK"};
  return variable.starts_with("SLURM") && std::ranges::find(kInputs, variable) == kInputs.end();
}

// Variables go before lines of the script (sbatch(1), INPUT ENVIRONMENT VARIABLES). Those that say
// which part of the cluster is meant are defaults here.
bool overrides(std::string_view variable, std::string_view script) {
  struct Default {
    std::string_view variable;
    std::string_view option;
  };
  constexpr std::array<Default, 6> kDefaults = {{{"SBATCH_ACCOUNT", "account"},
                                                 {"SBATCH_PARTITION", "partition"},
                                                 {"SBATCH_QOS", "qos"},
                                                 {"SBATCH_RESERVATION", "reservation"},
                                                 {"SBATCH_CONSTRAINT", "constraint"},
                                                 {"SBATCH_TIMELIMIT", "time"}}};
  if (!variable.starts_with("SBATCH_")) return false;
  const auto* known = std::ranges::find(kDefaults, variable, &Default::variable);
  if (known == kDefaults.end()) return true;
  return script.find(fmt::format("\n#SBATCH --{}=", known->option)) != std::string_view::npos;
}

// Without it Slurm neither queues a job again by itself nor when it is told to (sbatch(1)).
bool may_queue_again(std::string_view script, int) {
  return script.find("\n#SBATCH --requeue\n") != std::string_view::npos;
}

Words submit() { return {"sbatch", "--parsable"}; }
Words test() { return {"sbatch", "--test-only"}; }

std::string joined(const std::vector<std::string>& ids) {
  return fmt::format("{}", fmt::join(ids, ","));
}

// Jobs that have ended are there for MinJobAge seconds (slurm.conf(5)).
Words list(const std::vector<std::string>& ids) {
  return {"squeue", "--noheader", "--states=all", "--format=%i|%T|%r|%S|%N|%B|%e|%V",
          "--jobs=" + joined(ids)};
}

Words past(const std::vector<std::string>& ids) {
  return {"sacct",
          "--noheader",
          "--parsable2",
          "--allocations",
          "--format=JobID,State,ExitCode,NodeList,End,Start",
          "--jobs=" + joined(ids)};
}

// Of a batch job, to the process of the script alone (scancel(1), --batch).
Words interrupt(const std::string& id) { return {"scancel", "--signal=INT", "--batch", id}; }
Words cancel(const std::string& id) { return {"scancel", id}; }

}  // namespace

const System kSlurm = {
    .kind = "slurm",
    .name = "Slurm",
    .job_variable = "SLURM_JOB_ID",
    .is_of_job = is_of_job,
    .overrides = overrides,
    .may_queue_again = may_queue_again,
    .script = slurm_script,
    .submit = submit,
    .submitted = slurm_id,
    .asked_with = kSlurmTimes,
    .test = test,
    .tested = slurm_tested,
    .list = list,
    .listed = slurm_listed,
    .past = past,
    .passed = slurm_past,
    .interrupt = interrupt,
    .cancel = cancel,
    .refused = slurm_refused,
    .allocate = slurm_allocation,
    .allocating = slurm_allocating,
};

}  // namespace muster::batch
