// Launchers by Hydra's names.
#include "front/hydra/reach.hpp"

#include <algorithm>
#include <span>

#include "base/nearest.hpp"
#include "base/shell_word.hpp"
#include "base/words.hpp"
#include "front/call.hpp"
#include "front/inherited.hpp"
#include "model/carriers.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"
#include "spec/sources.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Command = std::vector<std::string>;

constexpr std::string_view kWorkingLaunchers[] = {"ssh", "rsh", "fork", "slurm",
                                                  "lsf", "sge", "pbs"};
// LoadLeveler's poe starts all hosts at once; of the others, people or daemons start the agents.
constexpr std::string_view kOthers[] = {"ll", "manual", "persist"};
constexpr std::string_view kKnownManagers[] = {"user", "slurm", "ll",    "lsf",
                                               "sge",  "pbs",   "cobalt"};
constexpr std::string_view kBatchLaunchers[] = {"lsf", "sge", "pbs"};

// A carrier is called with the host and the remote command; fork ignores the host.
Command fork_words() { return {"/bin/sh", "-c", R"(exec /bin/sh -c "$2")", "fork"}; }

// "did you mean slurm?"; empty: none is near.
std::string near_of(std::string_view word, std::span<const std::string_view> words) {
  const std::vector<std::string> known(words.begin(), words.end());
  return base::did_you_mean(word, known);
}

bool is_batch_launcher(std::string_view word) {
  return std::ranges::find(kBatchLaunchers, word) != std::end(kBatchLaunchers);
}

// One step with one task on that host. --unbuffered: srun would otherwise hold back what is no
// whole line. Steps of one job share its processors only with --overlap.
Command srun_words(const Command& executable, const Command& extra) {
  std::string script = "exec " + base::shell_words(executable);
  if (!extra.empty()) script += " " + base::shell_words(extra);
  script += R"( --nodes=1 --ntasks=1 --nodelist="$1" --overlap --unbuffered --mpi=none)"
            R"( --cpu-bind=none /bin/sh -c "$2")";
  return {"/bin/sh", "-c", script, "srun"};
}

Result<void> use_steps(HydraDraft& draft, const Command& extra) {
  if (!variable(*draft.call, "SLURM_JOB_ID")) {
    return fail(Fault::usage, "call it from sbatch or salloc, or remove -launcher",
                "-launcher slurm works inside a Slurm job, and this is not one");
  }
  model::JobSpec& spec = draft.request.spec;
  spec.source.carrier = model::kStep;
  if (std::ranges::count(extra, kExternalLauncher) > 0) spec.carrier.step_words.clear();
  spec.carrier.step_words.insert(spec.carrier.step_words.end(), extra.begin(), extra.end());
  return {};
}

// As that batch system starts something on the hosts of its job, whichever of them are named.
Result<void> use_batch(HydraDraft& draft, const Command& extra) {
  const std::string& launcher = draft.reach.launcher;
  const auto reach =
      spec::batch_job_reach([&](std::string_view name) { return variable(*draft.call, name); },
                            launcher, {draft.reach.executable, extra});
  if (!reach) {
    return fail(Fault::usage, "call it from a job script, or remove -launcher",
                "-launcher {} works inside a {} job, and this is not one", launcher,
                spec::batch_name(launcher));
  }
  model::CarrierSpec& carrier = draft.request.spec.carrier;
  if (!reach->command.empty()) {
    carrier.command = reach->command;
  } else {
    if (!draft.reach.executable.empty()) carrier.command = draft.reach.executable;
    carrier.command.insert(carrier.command.end(), extra.begin(), extra.end());
  }
  carrier.wrapper = reach->wrapper;
  return {};
}

void use_command(HydraDraft& draft, Command extra) {
  model::CarrierSpec& carrier = draft.request.spec.carrier;
  const std::string& launcher = draft.reach.launcher;
  std::erase(extra, kExternalLauncher);  // of srun
  if (launcher == "ssh" || launcher == "rsh") carrier.step_words.clear();
  if (launcher == "rsh") carrier.command = {"rsh"};
  if (!draft.reach.executable.empty()) carrier.command = draft.reach.executable;
  carrier.command.insert(carrier.command.end(), extra.begin(), extra.end());
}

// The first of some variables that is set.
Typed first_set(const HydraDraft& draft, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto value = variable(*draft.call, name);
    if (value && !value->empty()) return {name, *value};
  }
  return {};
}

Result<void> take_variables(HydraDraft& draft) {
  if (draft.reach.launcher.empty()) {
    const Typed launcher =
        first_set(draft, {"HYDRA_LAUNCHER", "HYDRA_BOOTSTRAP", "I_MPI_HYDRA_BOOTSTRAP"});
    if (!launcher.value.empty()) {
      if (auto done = set_hydra_launcher(draft, launcher); !done) return done;
    }
  }
  if (!draft.reach.executable.empty()) return {};
  const Typed executable = first_set(
      draft, {"HYDRA_LAUNCHER_EXEC", "HYDRA_BOOTSTRAP_EXEC", "I_MPI_HYDRA_BOOTSTRAP_EXEC"});
  return executable.value.empty() ? Result<void>() : set_hydra_launcher_exec(draft, executable);
}

// Slurm 23.11 and later set the variable in all jobs (src/common/env.c): nobody's wish. How hosts
// are reached then follows from where they come from.
Result<void> settle_launcher(HydraDraft& draft) {
  const bool is_typed = !draft.reach.launcher.empty();
  return take_variables(draft).map([&] {
    const bool is_slurms = draft.reach.launcher == "slurm" && draft.reach.executable.empty();
    if (!is_typed && is_slurms) draft.reach.launcher.clear();
    const bool is_open = draft.reach.launcher.empty() && draft.reach.executable.empty();
    const bool of_manager =
        draft.request.spec.source == model::kHostsGranted && is_batch_launcher(draft.reach.manager);
    if (is_open && of_manager) draft.reach.launcher = draft.reach.manager;
  });
}

Result<Command> extra_words(const HydraDraft& draft) {
  const Typed extra =
      first_set(draft, {"HYDRA_LAUNCHER_EXTRA_ARGS", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS"});
  return extra.value.empty() ? Command() : read_words(extra);
}

}  // namespace

Result<void> set_hydra_launcher(HydraDraft& draft, const Typed& typed) {
  const std::string word = base::lower(typed.value);
  if (std::ranges::find(kWorkingLaunchers, word) != std::end(kWorkingLaunchers)) {
    draft.reach.launcher = word;
    return {};
  }
  const bool known = std::ranges::find(kOthers, word) != std::end(kOthers);
  return fail(Fault::usage,
              known ? "any program called as PROGRAM HOST COMMAND: -launcher-exec"
                    : near_of(word, kWorkingLaunchers),
              "{} must be ssh, rsh, fork, slurm, lsf, sge or pbs{}, not {}", typed.option,
              known ? " here" : "", spec::in_quotes(typed.value));
}

Result<void> set_hydra_launcher_exec(HydraDraft& draft, const Typed& typed) {
  return read_words(typed).map([&](Command words) { draft.reach.executable = std::move(words); });
}

Result<void> set_hydra_rmk(HydraDraft& draft, const Typed& typed) {
  std::string word = base::lower(typed.value);
  if (std::ranges::find(kKnownManagers, word) == std::end(kKnownManagers)) {
    const std::string near = near_of(word, kKnownManagers);
    return fail(Fault::usage,
                near.empty() ? "leave it out: the batch job around is detected" : near,
                "{} must be user, slurm, ll, lsf, sge, pbs or cobalt, not {}", typed.option,
                spec::in_quotes(typed.value));
  }
  draft.reach.manager = std::move(word);
  return {};
}

Result<void> settle_hydra_reach(HydraDraft& draft) {
  if (auto done = settle_launcher(draft); !done) return done;
  auto extra = extra_words(draft);
  if (!extra) return tl::unexpected(extra.error());
  const std::string& launcher = draft.reach.launcher;
  Command& command = draft.request.spec.carrier.command;
  if (is_batch_launcher(launcher)) return use_batch(draft, *extra);
  if (launcher == "slurm" && draft.reach.executable.empty()) return use_steps(draft, *extra);
  if (launcher == "fork") {
    command = fork_words();
  } else if (launcher == "slurm") {
    command = srun_words(draft.reach.executable, *extra);
  } else {
    use_command(draft, std::move(*extra));
  }
  return {};
}

}  // namespace muster::front
