// step_words: the words that start the agent on a host of the Slurm job around; step_environment.
#include <algorithm>
#include <array>
#include <string_view>

#include "link/link.hpp"

namespace muster::link {
namespace {

// Which job srun is asked to start a step in, and how it finds its Slurm. Nothing else is needed.
constexpr std::array<std::string_view, 11> kKept = {
    "SLURM_JOB_ID=",   "SLURM_JOBID=",        "SLURM_CONF=",      "SLURM_CONF_SERVER=",
    "SLURM_HET_SIZE=", "SLURM_CLUSTER_NAME=", "SLURM_JWT=",       "SLURM_WORKING_CLUSTER=",
    "SLURM_DEBUG=",    "SLURM_SACK_KEY=",     "SLURM_SUBMIT_DIR="};

bool is_kept(std::string_view variable) {
  if (variable.starts_with("SLURM_JOB_ID_HET_GROUP_")) return true;
  return std::ranges::any_of(kKept,
                             [&](std::string_view one) { return variable.starts_with(one); });
}

// An agent's host is not the one that somebody has logged in to.
bool is_dropped(std::string_view variable) {
  const bool is_slurms = variable.starts_with("SLURM_") || variable.starts_with("SRUN_");
  return (is_slurms && !is_kept(variable)) || variable.starts_with("SSH_");
}

}  // namespace

// --unbuffered: srun would hold back what is no whole line. --cpu-bind=none, --mpi=none: ranks are
// bound and wired up by us. --input=all is the default, but a site may have changed it.
std::vector<std::string> step_words(const model::CarrierSpec& carrier, const model::Host& host,
                                    const std::string& name, const std::string& agent_path) {
  std::vector<std::string> words = {"srun"};
  if (host.component) words.push_back("--het-group=" + std::to_string(*host.component));
  words.insert(words.end(), {"--nodes=1", "--ntasks=1", "--nodelist=" + host.name});
  words.insert(words.end(), carrier.step_words.begin(), carrier.step_words.end());
  words.insert(words.end(), {"--unbuffered", "--input=all", "--mpi=none", "--cpu-bind=none",
                             "--kill-on-bad-exit=1", "--job-name=" + name, agent_path, "agent"});
  return words;
}

std::vector<std::string> step_environment(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& one) { return is_dropped(one); });
  environment.push_back(std::string(kStepMark) + "=1");
  return environment;
}

}  // namespace muster::link
