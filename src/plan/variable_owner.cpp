// The table of variables that are not passed on, each with its reason.
#include "plan/variable_owner.hpp"

#include <algorithm>
#include <iterator>

#include "plan/software.hpp"

namespace muster::plan {
namespace {

// `name` may end with '*': every variable that starts so. The first row that covers a name counts.
struct Rule {
  std::string_view name;
  Belongs belongs;
  std::string_view why;
};

constexpr std::string_view kOtherLauncher = "another launcher set it for one of its ranks";
constexpr std::string_view kOurs = "muster sets it for each rank";
constexpr std::string_view kScheduler =
    "belongs to the MindSpore worker around; naming it for the job passes it on";
constexpr std::string_view kLogin = "belongs to the login on the launching host";
constexpr std::string_view kSession = "belongs to the desktop session of the launching host";
constexpr std::string_view kFolder = "names a folder of the launching host";
constexpr std::string_view kDevices = "lists devices of the launching host";
constexpr std::string_view kHostName = "names the launching host";
constexpr std::string_view kShell = "bookkeeping of the launching shell";

// OMPI_MCA_* and PMIX_MCA_* are what users tune Open MPI with and go along, but for the parts that
// mpirun itself hands to one of its ranks.
constexpr Rule kRules[] = {
    {"PMIX_MCA_mca_base_component_show_load_errors", Belongs::to_rank, kOtherLauncher},
    {"PMIX_MCA_*", Belongs::to_user, {}},
    {"PMI_*", Belongs::to_rank, kOtherLauncher},
    {"PMIX_*", Belongs::to_rank, kOtherLauncher},
    {"PALS_*", Belongs::to_rank, kOtherLauncher},
    {"PRTE_LAUNCHED", Belongs::to_rank, kOtherLauncher},
    {"OMPI_COMM_WORLD_*", Belongs::to_rank, kOtherLauncher},
    {"OMPI_WORLD_*", Belongs::to_rank, kOtherLauncher},
    {"OMPI_UNIVERSE_SIZE", Belongs::to_rank, kOtherLauncher},
    {"OMPI_NUM_APP_CTX", Belongs::to_rank, kOtherLauncher},
    {"OMPI_FIRST_RANKS", Belongs::to_rank, kOtherLauncher},
    {"OMPI_APP_CTX_NUM_PROCS", Belongs::to_rank, kOtherLauncher},
    {"OMPI_COMMAND", Belongs::to_rank, kOtherLauncher},
    {"OMPI_ARGV", Belongs::to_rank, kOtherLauncher},
    {"OMPI_FILE_LOCATION", Belongs::to_rank, kOtherLauncher},
    {"OMPI_MCA_orte_*", Belongs::to_rank, kOtherLauncher},
    {"OMPI_MCA_ess*", Belongs::to_rank, kOtherLauncher},
    {"OMPI_MCA_pmix", Belongs::to_rank, kOtherLauncher},
    {"OMPI_MCA_initial_wdir", Belongs::to_rank, kOtherLauncher},
    {"OMPI_MCA_num_procs", Belongs::to_rank, kOtherLauncher},
    {"OMPI_MCA_mpi_oversubscribe", Belongs::to_rank, kOtherLauncher},
    {"OMPI_MCA_shmem_RUNTIME_QUERY_hint", Belongs::to_rank, kOtherLauncher},
    {"OMPI_PARENT_PORT", Belongs::to_rank, kOtherLauncher},
    {"MV2_COMM_WORLD_*", Belongs::to_rank, kOtherLauncher},
    {"MPI_LOCALNRANKS", Belongs::to_rank, kOurs},
    {"MPI_LOCALRANKID", Belongs::to_rank, kOurs},
    {"HYDI_*", Belongs::to_rank, kOtherLauncher},
    // About the job, the same in all its steps; whatever says more is about one step or task.
    {"SLURM_JOB_GPUS", Belongs::to_host, kDevices},
    {"SLURM_JOB_*", Belongs::to_user, {}},
    {"SLURM_JOBID", Belongs::to_user, {}},
    {"SLURM_NODELIST", Belongs::to_user, {}},
    {"SLURM_NNODES", Belongs::to_user, {}},
    {"SLURM_HET_SIZE", Belongs::to_user, {}},
    {"SLURM_ARRAY_*", Belongs::to_user, {}},
    {"SLURM_CLUSTER_NAME", Belongs::to_user, {}},
    {"SLURM_CONF", Belongs::to_user, {}},
    {"SLURM_RESTART_COUNT", Belongs::to_user, {}},
    {"SLURM_SUBMIT_*", Belongs::to_user, {}},
    {"SLURM_*", Belongs::to_rank, kOtherLauncher},
    // Tasks of `flux run` have these, not what `flux batch` begins.
    {"FLUX_TASK_*", Belongs::to_rank, kOtherLauncher},
    {"FLUX_JOB_*", Belongs::to_rank, kOtherLauncher},
    {"FLUX_KVS_NAMESPACE", Belongs::to_rank, kOtherLauncher},
    {"FLUX_PMI_LIBRARY_PATH", Belongs::to_rank, kOtherLauncher},
    {"JSM_*", Belongs::to_rank, kOtherLauncher},
    {"ALPS_APP_*", Belongs::to_rank, kOtherLauncher},
    {"TORCHELASTIC_*", Belongs::to_rank, kOtherLauncher},
    {"PET_NODE_RANK", Belongs::to_rank, kOtherLauncher},
    {"JAX_COORDINATOR_ADDRESS", Belongs::to_rank, kOtherLauncher},
    {"JAX_NUM_PROCESSES", Belongs::to_rank, kOtherLauncher},
    {"JAX_PROCESS_ID", Belongs::to_rank, kOtherLauncher},
    {"TF_CONFIG", Belongs::to_rank, kOtherLauncher},
    {"RANK_ID", Belongs::to_rank, kOtherLauncher},
    {"RANK_SIZE", Belongs::to_rank, kOtherLauncher},
    {"DEVICE_ID", Belongs::to_rank, kOtherLauncher},
    {"MS_ROLE", Belongs::to_rank, kOtherLauncher},
    {"MS_NODE_ID", Belongs::to_rank, kOtherLauncher},
    // MS_SCHED_HOST alone has MindSpore join that cluster (UseDynamicCluster).
    {"MS_SCHED_HOST", Belongs::to_meeting, kScheduler},
    {"MS_SCHED_PORT", Belongs::to_meeting, kScheduler},
    {"MS_WORKER_NUM", Belongs::to_meeting, kScheduler},
    {"MS_SERVER_NUM", Belongs::to_meeting, kScheduler},
    {"AZ_BATCH_MASTER_NODE", Belongs::to_rank, kOurs},
    {"AZ_BATCHAI_JOB_MASTER_NODE_IP", Belongs::to_rank, kOurs},
    {"AZ_BATCHAI_MPI_MASTER_NODE", Belongs::to_rank, kOurs},
    {"AZ_BATCHAI_PYTORCH_INIT_METHOD", Belongs::to_rank, kOurs},
    {"AZ_BATCHAI_TASK_INDEX", Belongs::to_rank, kOurs},
    {"AZ_BATCH_HOST_LIST", Belongs::to_rank, kOurs},
    {"AZUREML_MPI_HOSTFILE", Belongs::to_rank, kOurs},
    {"AZUREML_CR_NODE_RANK", Belongs::to_rank, kOurs},
    {"AZUREML_NODE_COUNT", Belongs::to_rank, kOurs},
    {"AZUREML_PROCESS_NAME", Belongs::to_rank, kOurs},
    {"HOROVOD_RANK", Belongs::to_rank, kOurs},
    {"HOROVOD_SIZE", Belongs::to_rank, kOurs},
    {"HOROVOD_LOCAL_RANK", Belongs::to_rank, kOurs},
    {"HOROVOD_LOCAL_SIZE", Belongs::to_rank, kOurs},
    {"HOROVOD_CROSS_RANK", Belongs::to_rank, kOurs},
    {"HOROVOD_CROSS_SIZE", Belongs::to_rank, kOurs},
    {"HOROVOD_HOSTNAME", Belongs::to_rank, kOurs},
    {"HOROVOD_GLOO_RENDEZVOUS_*", Belongs::to_rank, kOtherLauncher},
    {"HOROVOD_ELASTIC", Belongs::to_rank, kOtherLauncher},
    {"RANK", Belongs::to_rank, kOurs},
    {"WORLD_SIZE", Belongs::to_rank, kOurs},
    {"LOCAL_RANK", Belongs::to_rank, kOurs},
    {"LOCAL_WORLD_SIZE", Belongs::to_rank, kOurs},
    {"NODE_RANK", Belongs::to_rank, kOurs},
    {"GROUP_RANK", Belongs::to_rank, kOurs},
    {"GROUP_WORLD_SIZE", Belongs::to_rank, kOurs},
    {"ROLE_RANK", Belongs::to_rank, kOurs},
    {"ROLE_WORLD_SIZE", Belongs::to_rank, kOurs},
    {"ROLE_NAME", Belongs::to_rank, kOurs},
    {"MASTER_ADDR", Belongs::to_meeting, "muster sets it, unless the job is given one"},
    {"MASTER_PORT", Belongs::to_meeting, "muster sets it, unless the job is given one"},
    // What a person sets for every muster below.
    {"MUSTER_RECORD", Belongs::to_user, {}},
    {"MUSTER_CACHE_BUDGET", Belongs::to_user, {}},
    {kSoftware, Belongs::to_user, {}},  // of a job that leaves starting ranks to its command
    {"MUSTER_RECORDS", Belongs::to_host, kFolder},
    {"MUSTER_RECORDS_BUDGET", Belongs::to_host, "is about a folder of the launching host"},
    {"MUSTER_SSH_COMMAND", Belongs::to_user, {}},
    {"MUSTER_SSH_PORT", Belongs::to_user, {}},
    {"MUSTER_SSH_IDENTITY", Belongs::to_user, {}},
    {"MUSTER_AGENT_PATH", Belongs::to_user, {}},
    {"MUSTER_START_TIMEOUT", Belongs::to_user, {}},
    {"MUSTER_MAX_OPEN", Belongs::to_user, {}},
    {"MUSTER_LEASE", Belongs::to_user, {}},
    {"MUSTER_UNSET", Belongs::to_user, {}},
    {"MUSTER_DIALECTS", Belongs::to_user, {}},
    {"MUSTER_*", Belongs::to_rank, "belongs to the run of muster that started this shell"},
    {"SSH_*", Belongs::to_host, kLogin},
    {"HOME", Belongs::to_host, kLogin},
    {"USER", Belongs::to_host, kLogin},
    {"USERNAME", Belongs::to_host, kLogin},
    {"LOGNAME", Belongs::to_host, kLogin},
    {"SHELL", Belongs::to_host, kLogin},
    {"MAIL", Belongs::to_host, kLogin},
    {"SUDO_*", Belongs::to_host, kLogin},
    {"KRB5CCNAME", Belongs::to_host, kLogin},
    {"GPG_TTY", Belongs::to_host, kLogin},
    {"GPG_AGENT_INFO", Belongs::to_host, kLogin},
    {"TMUX", Belongs::to_host, kLogin},
    {"TMUX_PANE", Belongs::to_host, kLogin},
    {"STY", Belongs::to_host, kLogin},
    {"DISPLAY", Belongs::to_host, kSession},
    {"WAYLAND_DISPLAY", Belongs::to_host, kSession},
    {"XAUTHORITY", Belongs::to_host, kSession},
    {"WINDOWID", Belongs::to_host, kSession},
    {"XDG_*", Belongs::to_host, kSession},
    {"DBUS_SESSION_BUS_ADDRESS", Belongs::to_host, kSession},
    {"SESSION_MANAGER", Belongs::to_host, kSession},
    {"VSCODE_*", Belongs::to_host, kSession},
    {"INVOCATION_ID", Belongs::to_host, kSession},
    {"JOURNAL_STREAM", Belongs::to_host, kSession},
    {"NOTIFY_SOCKET", Belongs::to_host, kSession},
    {"TMPDIR", Belongs::to_host, kFolder},
    {"TMP", Belongs::to_host, kFolder},
    {"TEMP", Belongs::to_host, kFolder},
    {"TEMPDIR", Belongs::to_host, kFolder},
    {"PWD", Belongs::to_host, kFolder},
    {"OLDPWD", Belongs::to_host, kFolder},
    {"CUDA_VISIBLE_DEVICES", Belongs::to_host, kDevices},
    {"NVIDIA_VISIBLE_DEVICES", Belongs::to_host, kDevices},
    {"HIP_VISIBLE_DEVICES", Belongs::to_host, kDevices},
    {"ROCR_VISIBLE_DEVICES", Belongs::to_host, kDevices},
    {"GPU_DEVICE_ORDINAL", Belongs::to_host, kDevices},
    {"ZE_AFFINITY_MASK", Belongs::to_host, kDevices},
    {"ONEAPI_DEVICE_SELECTOR", Belongs::to_host, kDevices},
    {"ASCEND_RT_VISIBLE_DEVICES", Belongs::to_host, kDevices},
    {"ASCEND_VISIBLE_DEVICES", Belongs::to_host, kDevices},
    {"HABANA_VISIBLE_DEVICES", Belongs::to_host, kDevices},
    {"SLURMD_NODENAME", Belongs::to_host, kHostName},
    {"MPIR_CVAR_CH3_INTERFACE_HOSTNAME", Belongs::to_host, kHostName},
    {"MPICH_INTERFACE_HOSTNAME", Belongs::to_host, kHostName},
    {"HOSTNAME", Belongs::to_host, kHostName},
    {"HOST", Belongs::to_host, kHostName},
    {"SHLVL", Belongs::to_host, kShell},
    {"_", Belongs::to_host, kShell},
};

bool covers(const Rule& rule, std::string_view name) {
  if (rule.name.back() != '*') return rule.name == name;
  return name.starts_with(rule.name.substr(0, rule.name.size() - 1));
}

const Rule* rule_of(std::string_view name) {
  const auto* found =
      std::ranges::find_if(kRules, [&](const Rule& rule) { return covers(rule, name); });
  return found == std::end(kRules) ? nullptr : found;
}

}  // namespace

Belongs belongs(std::string_view name) {
  const Rule* rule = rule_of(name);
  return rule == nullptr ? Belongs::to_user : rule->belongs;
}

std::string_view stale_because(std::string_view name) {
  const Rule* rule = rule_of(name);
  const bool stale = rule != nullptr &&
                     (rule->belongs == Belongs::to_rank || rule->belongs == Belongs::to_meeting);
  return stale ? rule->why : std::string_view();
}

std::string_view stays_because(std::string_view name) {
  const Rule* rule = rule_of(name);
  return rule != nullptr && rule->belongs == Belongs::to_host ? rule->why : std::string_view();
}

}  // namespace muster::plan
