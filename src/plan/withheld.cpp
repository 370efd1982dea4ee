// The lists of variables that do not go along, each with its reason.
#include "plan/withheld.hpp"

#include <algorithm>
#include <span>

namespace muster::plan {
namespace {

// `name` may end with '*': every variable that starts so.
struct Rule {
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view kOtherLauncher = "another launcher made it for one of its ranks";
constexpr std::string_view kOurs = "muster sets it for each rank";
constexpr std::string_view kLogin = "belongs to the login on the launching host";
constexpr std::string_view kSession = "belongs to the desktop session of the launching host";
constexpr std::string_view kFolder = "names a folder of the launching host";
constexpr std::string_view kDevices = "numbers the devices of the launching host";
constexpr std::string_view kHostName = "names the launching host";
constexpr std::string_view kShell = "bookkeeping of the launching shell";

// OMPI_MCA_* is what users tune Open MPI with and goes along, but for the parts that mpirun itself
// hands to one of its ranks.
constexpr Rule kStale[] = {
    {"PMI_*", kOtherLauncher},
    {"PMIX_*", kOtherLauncher},
    {"PALS_*", kOtherLauncher},
    {"PRTE_LAUNCHED", kOtherLauncher},
    {"OMPI_COMM_WORLD_*", kOtherLauncher},
    {"OMPI_WORLD_*", kOtherLauncher},
    {"OMPI_UNIVERSE_SIZE", kOtherLauncher},
    {"OMPI_NUM_APP_CTX", kOtherLauncher},
    {"OMPI_FIRST_RANKS", kOtherLauncher},
    {"OMPI_APP_CTX_NUM_PROCS", kOtherLauncher},
    {"OMPI_COMMAND", kOtherLauncher},
    {"OMPI_ARGV", kOtherLauncher},
    {"OMPI_FILE_LOCATION", kOtherLauncher},
    {"OMPI_MCA_orte_*", kOtherLauncher},
    {"OMPI_MCA_ess*", kOtherLauncher},
    {"OMPI_MCA_pmix", kOtherLauncher},
    {"OMPI_MCA_initial_wdir", kOtherLauncher},
    {"OMPI_MCA_num_procs", kOtherLauncher},
    {"MV2_COMM_WORLD_*", kOtherLauncher},
    {"MPI_LOCALNRANKS", kOurs},
    {"MPI_LOCALRANKID", kOurs},
    {"HYDI_*", kOtherLauncher},
    {"SLURM_*", kOtherLauncher},
    {"FLUX_TASK_*", kOtherLauncher},
    {"JSM_NAMESPACE_*", kOtherLauncher},
    {"TORCHELASTIC_*", kOtherLauncher},
    {"PET_NODE_RANK", kOtherLauncher},
    {"JAX_COORDINATOR_ADDRESS", kOtherLauncher},
    {"JAX_NUM_PROCESSES", kOtherLauncher},
    {"JAX_PROCESS_ID", kOtherLauncher},
    {"TF_CONFIG", kOtherLauncher},
    {"AZ_BATCH_MASTER_NODE", kOurs},
    {"AZ_BATCHAI_MPI_MASTER_NODE", kOurs},
    {"AZ_BATCH_HOST_LIST", kOurs},
    {"AZUREML_MPI_HOSTFILE", kOurs},
    {"AZUREML_CR_NODE_RANK", kOurs},
    {"AZUREML_PROCESS_NAME", kOurs},
    {"HOROVOD_RANK", kOurs},
    {"HOROVOD_SIZE", kOurs},
    {"HOROVOD_LOCAL_RANK", kOurs},
    {"HOROVOD_LOCAL_SIZE", kOurs},
    {"HOROVOD_CROSS_RANK", kOurs},
    {"HOROVOD_CROSS_SIZE", kOurs},
    {"HOROVOD_HOSTNAME", kOurs},
    {"HOROVOD_GLOO_RENDEZVOUS_*", kOtherLauncher},
    {"HOROVOD_ELASTIC", kOtherLauncher},
    {"RANK", kOurs},
    {"WORLD_SIZE", kOurs},
    {"LOCAL_RANK", kOurs},
    {"LOCAL_WORLD_SIZE", kOurs},
    {"NODE_RANK", kOurs},
    {"GROUP_RANK", kOurs},
    {"GROUP_WORLD_SIZE", kOurs},
    {"ROLE_RANK", kOurs},
    {"ROLE_WORLD_SIZE", kOurs},
    {"ROLE_NAME", kOurs},
    {"MASTER_ADDR", "muster sets it; -x MASTER_ADDR keeps yours"},
    {"MASTER_PORT", "muster sets it; -x MASTER_PORT keeps yours"},
    {"MUSTER_*", "belongs to the run of muster that started this shell"},
};

constexpr Rule kStays[] = {
    {"SSH_*", kLogin},
    {"HOME", kLogin},
    {"USER", kLogin},
    {"USERNAME", kLogin},
    {"LOGNAME", kLogin},
    {"SHELL", kLogin},
    {"MAIL", kLogin},
    {"SUDO_*", kLogin},
    {"KRB5CCNAME", kLogin},
    {"GPG_TTY", kLogin},
    {"GPG_AGENT_INFO", kLogin},
    {"TMUX", kLogin},
    {"TMUX_PANE", kLogin},
    {"STY", kLogin},
    {"DISPLAY", kSession},
    {"WAYLAND_DISPLAY", kSession},
    {"XAUTHORITY", kSession},
    {"WINDOWID", kSession},
    {"XDG_*", kSession},
    {"DBUS_SESSION_BUS_ADDRESS", kSession},
    {"SESSION_MANAGER", kSession},
    {"VSCODE_*", kSession},
    {"INVOCATION_ID", kSession},
    {"JOURNAL_STREAM", kSession},
    {"NOTIFY_SOCKET", kSession},
    {"TMPDIR", kFolder},
    {"TMP", kFolder},
    {"TEMP", kFolder},
    {"TEMPDIR", kFolder},
    {"PWD", kFolder},
    {"OLDPWD", kFolder},
    {"CUDA_VISIBLE_DEVICES", kDevices},
    {"NVIDIA_VISIBLE_DEVICES", kDevices},
    {"HIP_VISIBLE_DEVICES", kDevices},
    {"ROCR_VISIBLE_DEVICES", kDevices},
    {"GPU_DEVICE_ORDINAL", kDevices},
    {"ZE_AFFINITY_MASK", kDevices},
    {"ONEAPI_DEVICE_SELECTOR", kDevices},
    {"ASCEND_RT_VISIBLE_DEVICES", kDevices},
    {"ASCEND_VISIBLE_DEVICES", kDevices},
    {"HABANA_VISIBLE_DEVICES", kDevices},
    {"HOSTNAME", kHostName},
    {"HOST", kHostName},
    {"SHLVL", kShell},
    {"_", kShell},
};

bool covers(const Rule& rule, std::string_view name) {
  if (rule.name.back() != '*') return rule.name == name;
  return name.starts_with(rule.name.substr(0, rule.name.size() - 1));
}

std::string_view reason_in(std::span<const Rule> rules, std::string_view name) {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const Rule& rule) { return covers(rule, name); });
  return found == rules.end() ? std::string_view() : found->why;
}

}  // namespace

std::string_view stale_because(std::string_view name) { return reason_in(kStale, name); }

std::string_view stays_because(std::string_view name) { return reason_in(kStays, name); }

}  // namespace muster::plan
