// Defaults from the environment: the hosts of the surrounding job, and how to reach them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

// Also set when that job is simulated: its hosts are this machine.
inline constexpr std::string_view kFakeHosts = "MUSTER_FAKE_HOSTS";
// Also set when it has outputs: their folders, one per line, to be created where ranks run.
inline constexpr std::string_view kOutputFolders = "MUSTER_OUTPUT_FOLDERS";

// yes: launchers that muster replaces keep a record, too; no: `muster run` keeps none.
inline constexpr std::string_view kRecord = "MUSTER_RECORD";
inline constexpr std::string_view kRecordsBudget = "MUSTER_RECORDS_BUDGET";
inline constexpr std::string_view kCacheBudget = "MUSTER_CACHE_BUDGET";
// The option of srun (Slurm 23.11 and later) for a step that takes nothing away from others.
inline constexpr std::string_view kExternalLauncher = "--external-launcher";
// The launcher folder of the job whose command called muster.
inline constexpr std::string_view kLaunchers = "MUSTER_LAUNCHERS";

// The hostfile of a job that leaves starting ranks to its command, when that command called muster.
[[nodiscard]] std::optional<std::string> inherited_hostfile(const Call& call,
                                                            const model::JobSpec& spec);

// What the environment says of hosts and variables, beside what was `said`.
//
// In a Slurm job, its hosts are reached by steps of that job, also those that were named, unless it
// was said how to reach hosts; likewise by what other batch systems start processes with. Takes
// MUSTER_HEAD, unless it was said how to reach hosts: then the launcher does as it was told. Takes
// MUSTER_SSH_COMMAND, unless something other than ssh has been chosen; simulated hosts are reached
// without it. Takes MUSTER_OUTPUT_FOLDERS, MUSTER_UNSET, MUSTER_DIALECTS and the variables of
// kReachSettings, or in their place what muster.yml says: that of the folder `beside`, which is the
// job file's, or that of the current one. Below MUSTER_LAUNCHERS, ranks find launchers, too.
// Messages call the file that AZUREML_MPI_HOSTFILE names "$AZUREML_MPI_HOSTFILE".
[[nodiscard]] base::Result<void> take_inherited_settings(const Call& call, const SaidReach& said,
                                                         model::JobSpec& spec,
                                                         const std::string& beside = {});

// The hosts of a job of Slurm that is there for this request now; `call` has its variables, and no
// files.
[[nodiscard]] base::Result<void> take_allocation(const Call& call, RunRequest& request);

// Which task of a Slurm step this is, where each host of the step has one that asks for a run on
// these hosts, and they are not this host alone.
[[nodiscard]] base::Result<std::optional<model::StepPlace>> place_in_step(
    const Call& call, const model::HostSource& source, const std::vector<model::HostEntry>& hosts);

// Whether MUSTER_RECORDS_BUDGET and MUSTER_CACHE_BUDGET are sizes, if they are there.
[[nodiscard]] base::Result<void> check_budget(const Call& call);

// Afterwards `record` is set, with its folder, exactly when a record is to be kept. What a job's
// command starts belongs to that job's run.
[[nodiscard]] base::Result<void> settle_record(const Call& call, RunRequest& request);

}  // namespace muster::front
