// What a launcher finds in its environment: the user's settings, separated from what muster set for
// the rank in which the launcher was called. Values decide: what a script has changed since is the
// user's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/job_spec.hpp"

namespace muster::plan {

// Every rank has it: fingerprints of the variables that muster gave to it.
inline constexpr std::string_view kGave = "MUSTER_GAVE";
// Names that were given with -x, or by a job file, with blanks between.
inline constexpr std::string_view kExported = "MUSTER_EXPORTED";

// Of a rank that is bound and has its host to itself: its cpus, and those of its agent, as "0/0-7".
inline constexpr std::string_view kCpus = "MUSTER_CPUS";

// The value of kGave for a rank whose environment muster lays these "NAME=VALUE" entries over the
// user's. Of PATH and PYTHONPATH, lists that muster puts one entry in front of, only that entry is
// muster's. A fingerprint has 48 bits, as 8 characters.
[[nodiscard]] std::string fingerprints(std::span<const std::string> entries);

struct Surroundings {
  // "NAME=VALUE" entries, without those that still are what muster gave to the rank around; but for
  // what speaks to a launcher (MUSTER_*, AZUREML_MPI_HOSTFILE) and shares of this host's devices.
  std::vector<std::string> environment;
  std::vector<std::string> given;  // names of all that still are what muster gave; sorted
};
[[nodiscard]] Surroundings surroundings(std::span<const std::string> found);

// A batch job that a rank submits inherits the rank's variables. Further characters of kGave tell
// the jobs of batch systems that a rank belongs to, by the ids in its own environment and in that
// of its agent.
[[nodiscard]] std::string batch_job_marks(std::span<const std::string> environment);
// "SLURM_JOB_ID=8" where the process with this environment is in a batch job that the rank which
// handed kGave on was not in. Nothing where kGave does not tell.
[[nodiscard]] std::optional<std::string> other_batch_job(std::span<const std::string> found);

// Exports of the apps as they are meant inside a rank: -x NAME of a variable that muster gave to
// that rank asks for what muster gives to each new rank, so it is dropped. What the rank around was
// given with -x goes along again where it would not by itself (TMPDIR for another host; MASTER_PORT
// when the rank is the command of a job and starts its ranks), unless the job wants a clean
// environment.
void settle_exports(const Surroundings& around, model::JobSpec& spec);

}  // namespace muster::plan
