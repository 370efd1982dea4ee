// Launchers by Hydra's names.
#include "front/hydra/reach.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "front/call.hpp"
#include "front/inherited.hpp"
#include "model/carriers.hpp"
#include "option/values.hpp"
#include "spec/quoted.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using Command = std::vector<std::string>;

constexpr std::string_view kOthers[] = {"rsh", "ll", "lsf", "sge", "pbs", "manual", "persist"};

// One word that any shell reads back as it is.
std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// A carrier is called with the host and the remote command; fork ignores the host.
Command fork_words() { return {"/bin/sh", "-c", R"(exec /bin/sh -c "$2")", "fork"}; }

// One step with one task on that host. --unbuffered: srun would otherwise hold back what is no
// whole line. Steps of one job share its processors only with --overlap.
Command srun_words(const Command& executable, const Command& extra) {
  std::string script = "exec";
  for (const Command* words : {&executable, &extra}) {
    for (const std::string& word : *words) script += " " + shell_word(word);
  }
  script += R"( --nodes=1 --ntasks=1 --nodelist="$1" --overlap --unbuffered --mpi=none)"
            R"( --cpu-bind=none /bin/sh -c "$2")";
  return {"/bin/sh", "-c", script, "srun"};
}

Result<void> use_steps(HydraDraft& draft, const Command& extra) {
  if (!variable(*draft.call, "SLURM_JOB_ID")) {
    return fail(Fault::usage, "call it from sbatch or salloc, or remove -launcher",
                "-launcher slurm works inside a Slurm job, and this is none");
  }
  model::JobSpec& spec = draft.request.spec;
  spec.source.carrier = model::kStep;
  if (std::ranges::count(extra, kExternalLauncher) > 0) spec.carrier.step_words.clear();
  spec.carrier.step_words.insert(spec.carrier.step_words.end(), extra.begin(), extra.end());
  return {};
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
  if (word == "ssh" || word == "fork" || word == "slurm") {
    draft.reach.launcher = word;
    return {};
  }
  const bool known = std::ranges::find(kOthers, word) != std::end(kOthers);
  return fail(Fault::usage,
              known ? "any program called as PROGRAM HOST COMMAND: -launcher-exec" : "",
              "{} must be ssh, fork or slurm{}, not {}", typed.option, known ? " here" : "",
              spec::quoted(typed.value));
}

Result<void> set_hydra_launcher_exec(HydraDraft& draft, const Typed& typed) {
  return read_words(typed).map([&](Command words) { draft.reach.executable = std::move(words); });
}

// Where hosts come from when none are given.
Result<void> set_hydra_rmk(HydraDraft&, const Typed& typed) {
  const std::string word = base::lower(typed.value);
  if (word == "user" || word == "slurm") return {};
  return fail(Fault::usage, "name the hosts with -hosts or -f",
              "{} must be user or slurm here, not {}", typed.option, spec::quoted(typed.value));
}

Result<void> settle_hydra_reach(HydraDraft& draft) {
  if (auto done = settle_launcher(draft); !done) return done;
  auto extra = extra_words(draft);
  if (!extra) return tl::unexpected(extra.error());
  Command& command = draft.request.spec.carrier.command;
  if (draft.reach.launcher == "fork") {
    command = fork_words();
  } else if (draft.reach.launcher == "slurm" && draft.reach.executable.empty()) {
    return use_steps(draft, *extra);
  } else if (draft.reach.launcher == "slurm") {
    command = srun_words(draft.reach.executable, *extra);
  } else {
    std::erase(*extra, kExternalLauncher);  // of srun
    if (draft.reach.launcher == "ssh") draft.request.spec.carrier.step_words.clear();
    if (!draft.reach.executable.empty()) command = draft.reach.executable;
    command.insert(command.end(), extra->begin(), extra->end());
  }
  return {};
}

}  // namespace muster::front
