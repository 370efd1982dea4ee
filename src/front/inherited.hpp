// What the environment says where no option does: hosts of the job whose command called muster, and
// how to reach them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

// Set besides when that job is rehearsed: its hosts are this machine.
inline constexpr std::string_view kFakeHosts = "MUSTER_FAKE_HOSTS";
// Set besides when it has outputs: their folders, a line each, to be made where ranks run.
inline constexpr std::string_view kOutputFolders = "MUSTER_OUTPUT_FOLDERS";
// Words to call instead of ssh, quoted as for a shell; called with a host and a command after them.
inline constexpr std::string_view kSshCommand = "MUSTER_SSH_COMMAND";

// yes: launchers that muster stands in for leave a record, too; no: `muster run` leaves none.
inline constexpr std::string_view kRecord = "MUSTER_RECORD";
// The folder of launchers of the job whose command called muster.
inline constexpr std::string_view kLaunchers = "MUSTER_LAUNCHERS";

// The hostfile of a job that leaves starting ranks to its command, when that is what called muster.
[[nodiscard]] std::optional<std::string> inherited_hostfile(const Call& call,
                                                            const model::JobSpec& spec);

// Takes MUSTER_SSH_COMMAND, unless something else than ssh has been chosen; hosts of a rehearsal
// are reached without it. Takes MUSTER_OUTPUT_FOLDERS. Below MUSTER_LAUNCHERS, ranks find
// launchers, too. Hosts read from the file that AZUREML_MPI_HOSTFILE names come, to people, from
// "$AZUREML_MPI_HOSTFILE".
[[nodiscard]] base::Result<void> take_inherited_settings(const Call& call, model::JobSpec& spec);

// A line about a Slurm allocation that the job runs in and does not use, since no hosts were given:
// muster does not ask Slurm for them yet. Nothing where there is none.
[[nodiscard]] std::vector<std::string> unused_allocation(const Call& call,
                                                         const model::JobSpec& spec);

// Afterwards `record` is there exactly when one is to be kept, with its folder. What a job's
// command starts belongs to that job's run.
[[nodiscard]] base::Result<void> settle_record(const Call& call, RunRequest& request);

}  // namespace muster::front
