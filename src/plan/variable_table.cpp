// The words of every framework: what each variable's value is made of.
#include "plan/variable_table.hpp"

#include <algorithm>
#include <fmt/ranges.h>

#include "plan/devices.hpp"
#include "plan/roles.hpp"

namespace muster::plan {
namespace {

// The kernel refuses to start a program with any string above 128 KiB; this leaves room for the
// name.
constexpr std::size_t kValueMax = 128 * 1024 - 64;

std::string rank(const About& about) { return std::to_string(about.rank); }
std::string world(const AboutApp& about) { return std::to_string(about.plan.ranks.size()); }
std::string local_rank(const About& about) { return std::to_string(about.local_rank); }
std::string local_size(const About& about) { return std::to_string(about.planned().ranks.size()); }
std::string node(const About& about) { return std::to_string(about.node); }
std::string nodes(const AboutApp& about) { return std::to_string(about.plan.nodes.size()); }
std::string universe(const AboutApp& about) { return std::to_string(about.plan.universe); }
std::string role(const AboutApp& about) {
  return about.app().role.empty() ? "default" : about.app().role;
}
std::string one(const AboutApp&) { return "1"; }
std::string host(const About& about) { return about.planned().host.name; }
std::string job(const AboutApp& about) { return about.job; }

// Blank-joined; empty, and so not set, when the kernel would not take it.
std::string joined(const std::vector<std::string>& words) {
  std::string text = fmt::format("{}", fmt::join(words, " "));
  return text.size() > kValueMax ? std::string() : text;
}

std::string program_word(const AboutApp& about) { return joined({about.app().command.front()}); }

std::string arguments(const AboutApp& about) {
  const auto& command = about.app().command;
  return joined({command.begin() + 1, command.end()});
}

// Only where ranks may be started again.
std::string restarts_at_most(const AboutApp& about) {
  return about.spec.max_restarts == 0 ? "" : std::to_string(about.spec.max_restarts);
}

std::string restarts(const AboutApp& about) {
  const std::uint32_t count = about.where.point.round;
  return about.spec.max_restarts == 0 && count == 0 ? "" : std::to_string(count);
}

std::string app_count(const AboutApp& about) { return std::to_string(about.spec.apps.size()); }

// Ranks are numbered through the apps: where the app's ranks begin.
std::uint32_t first_rank(const AboutApp& about, std::size_t app) {
  const auto& ranks = about.plan.ranks;
  const auto found = std::ranges::lower_bound(ranks, app, {}, &model::PlannedRank::app);
  return static_cast<std::uint32_t>(found - ranks.begin());
}

std::string first_ranks(const AboutApp& about) {
  std::vector<std::string> firsts;
  for (std::size_t app = 0; app < about.spec.apps.size(); ++app) {
    firsts.push_back(std::to_string(first_rank(about, app)));
  }
  return joined(firsts);
}

std::string app_sizes(const AboutApp& about) {
  std::vector<std::string> sizes;
  for (std::size_t app = 0; app < about.spec.apps.size(); ++app) {
    sizes.push_back(std::to_string(first_rank(about, app + 1) - first_rank(about, app)));
  }
  return joined(sizes);
}

std::string deadline_of(const AboutApp& about) { return about.where.point.deadline; }
std::string address(const AboutApp& about) { return about.where.point.address; }
std::string port(const AboutApp& about) { return about.where.point.port; }

// The user's value through -x, else ours: Azure ML's helper scripts copy AZ_BATCH_MASTER_NODE over
// MASTER_ADDR, so the two must agree.
std::string exported_or(const AboutApp& about, std::string_view name, const std::string& ours) {
  if (!is_exported(about, name)) return ours;
  const model::Variable* given = find(about.kept, name);
  return given != nullptr ? given->value : ours;
}

std::string azure_address(const AboutApp& about) {
  return exported_or(about, "MASTER_ADDR", about.where.point.address);
}

std::string azure_master(const AboutApp& about) {
  const std::string at = azure_address(about);
  const std::string port = exported_or(about, "MASTER_PORT", about.where.point.port);
  const bool is_v6 = at.find(':') != std::string::npos;
  return is_v6 ? "[" + at + "]:" + port : at + ":" + port;
}

// Without an option such a URL has no more than host and port: torch reads them as MASTER_ADDR and
// MASTER_PORT.
std::string azure_init_method(const AboutApp& about) { return "tcp://" + azure_master(about); }

// Of TensorFlow's ranks, the number within the role, beside which their scripts have one list of
// hosts for each.
std::string azure_task(const About& about) {
  if (about.spec.roles != model::Roles::tensorflow) return rank(about);
  return std::to_string(index_in_role(about.spec, about.plan, base::Rank(about.rank)));
}

std::string azure_process(const About& about) { return fmt::format("rank_{}", about.rank); }

std::string addresses(const AboutApp& about) {
  if (about.plan.nodes.size() < 2) return {};
  std::string list;
  for (const std::string& one_address : about.where.point.addresses) {
    if (!list.empty()) list += ',';
    list += one_address;
    if (list.size() > kValueMax) return {};
  }
  return list;
}

std::string cross_rank(const About& about) {
  return std::to_string(about.twins.before[about.rank]);
}
std::string cross_size(const About& about) {
  return std::to_string(about.twins.nodes[about.local_rank]);
}

// What only torchrun's words ask for; nothing otherwise.
std::string run_id(const AboutApp& about) {
  if (!about.spec.torch) return {};
  return about.spec.torch->own_id ? about.job : about.spec.torch->run_id;
}
std::string max_restarts(const AboutApp& about) {
  return about.spec.torch ? std::to_string(about.spec.torch->max_restarts)
                          : restarts_at_most(about);
}
std::string restart_count(const AboutApp& about) {
  return about.spec.torch ? std::to_string(about.where.point.round) : restarts(about);
}
std::string nccl_errors(const AboutApp& about) { return about.spec.torch ? "1" : ""; }

// "True" would promise that the launcher keeps a TCPStore at MASTER_PORT; here rank 0 keeps it.
std::string agent_store(const AboutApp& about) { return about.spec.torch ? "False" : ""; }

// A rank alone on its host finds the right count by itself, and may be a launcher that deals the
// host out among processes of its own.
bool has_all_cpus(const About& about) {
  const auto& cpus = about.where.cpus[about.node];
  return about.planned().ranks.size() == 1 && !(cpus && cpus->limited) &&
         about.plan.cpus_of(base::Rank(about.rank)).count() == 0;
}

std::string threads(const About& about) {
  if (about.spec.torch || has_all_cpus(about)) return {};
  const std::size_t ranks = about.planned().ranks.size();
  const auto& cpus = about.where.cpus[about.node];
  if (!cpus) return fmt::format("<cpus of {} / {}>", about.planned().host.name, ranks);
  const std::size_t bound = about.plan.cpus_of(base::Rank(about.rank)).count();
  const std::size_t share = std::max<std::size_t>(1, cpus->usable / ranks);
  return std::to_string(bound == 0 ? share : std::min(share, bound));
}

// torchrun knows this one count of threads.
std::string omp_threads(const About& about) {
  if (!about.spec.torch) return threads(about);
  return about.planned().ranks.size() > 1 ? "1" : "";
}

std::string interface(const About& about) { return about.where.interfaces[about.node]; }

// '=' asks NCCL for this very name; without it eth1 would stand for eth10 too. Where the interface
// is not known, NCCL chooses among all but those that never lead to another host.
std::string nccl_interface(const About& about) {
  const std::string& name = about.where.interfaces[about.node];
  if (name.empty()) return "^lo,docker,veth,virbr,cni,tailscale";
  return name == "lo" ? name : "=" + name;
}

// Between hosts, Open MPI's TCP takes any interface that has an address, docker's too. A user who
// has excluded some has chosen: both together are an error.
std::string open_mpi_interface(const About& about) {
  const bool chosen = find(about.kept, "OMPI_MCA_btl_tcp_if_exclude") != nullptr;
  return about.where.point.among_hosts && !chosen ? interface(about) : "";
}

// MPICH (nemesis, libfabric) takes any interface too, and several at once. On one machine it uses
// shared memory, whatever the interface.
std::string mpich_interface(const About& about) {
  const std::string& name = about.where.interfaces[about.node];
  return about.where.point.among_hosts && name != "lo" ? name : "";
}

// UCX_NET_DEVICES is for all its transports: where there is RDMA it would take it away.
std::string ucx_devices(const About& about) {
  return about.where.rdma[about.node] ? "" : mpich_interface(about);
}

// The rank's share of the devices that `variable` limits; of CUDA's where nothing is known yet.
std::string devices(const About& about, std::string_view variable) {
  const std::uint32_t each = about.spec.gpus_per_rank;
  if (each == 0 || !about.planned().host.visible.empty()) return {};
  if (about.where.devices.size() <= about.node) return {};
  const auto& known = about.where.devices[about.node];
  if (!known) {
    if (variable != "CUDA_VISIBLE_DEVICES") return {};
    return fmt::format("<{} devices of {}>", each, about.planned().host.name);
  }
  const auto found = std::ranges::find(*known, variable, &model::Devices::variable);
  if (found == known->end()) return {};
  return share_of(*found, about.local_rank, about.planned().ranks.size(), each);
}

std::string cuda(const About& about) {
  if (about.planned().host.visible.empty()) return devices(about, "CUDA_VISIBLE_DEVICES");
  return shown_of_named(about.spec, about.planned(), about.where, base::NodeIndex(about.node));
}
std::string rocr(const About& about) { return devices(about, "ROCR_VISIBLE_DEVICES"); }
std::string hip(const About& about) { return devices(about, "HIP_VISIBLE_DEVICES"); }
std::string level_zero(const About& about) { return devices(about, "ZE_AFFINITY_MASK"); }
std::string ascend(const About& about) { return devices(about, "ASCEND_RT_VISIBLE_DEVICES"); }

std::string gloo(const AboutApp& about) {
  return about.spec.gloo && about.spec.gloo->only ? "gloo" : "";
}

std::string gloo_address(const AboutApp& about) {
  if (!about.spec.gloo) return {};
  const std::string& at = about.where.point.gloo_address;
  return at.empty() ? "<address of this machine>" : at;
}

std::string gloo_port(const AboutApp& about) {
  if (!about.spec.gloo) return {};
  return about.where.point.gloo_port.empty() ? "<port of this machine>"
                                             : about.where.point.gloo_port;
}

std::string gloo_interface(const About& about) {
  if (!about.spec.gloo) return {};
  return about.spec.gloo->interface.empty() ? interface(about) : about.spec.gloo->interface;
}

// DeepSpeed counts nodes across, where Horovod counts ranks.
std::string across(const About& about) { return about.spec.deepspeed ? node(about) : ""; }
std::string nodes_across(const AboutApp& about) { return about.spec.deepspeed ? nodes(about) : ""; }
std::string size_here(const About& about) { return about.spec.deepspeed ? local_size(about) : ""; }

std::string tensorflow(const About& about) {
  if (about.spec.roles != model::Roles::tensorflow) return {};
  std::string text = tf_config(about.spec, about.plan, about.where, base::Rank(about.rank));
  return text.size() > kValueMax ? std::string() : text;
}

Scheduler scheduler(const AboutApp& about) {
  if (about.spec.roles != model::Roles::mindspore) return {};
  return scheduler(about.spec, about.plan, about.where);
}

std::string ms_host(const AboutApp& about) { return scheduler(about).address; }
std::string ms_port(const AboutApp& about) { return scheduler(about).port; }

std::string ms_count(const AboutApp& about, std::string_view role) {
  if (about.spec.roles != model::Roles::mindspore) return {};
  const std::uint32_t count = ranks_of(about.spec, about.plan, role);
  return count == 0 ? std::string() : std::to_string(count);
}

std::string ms_workers(const AboutApp& about) { return ms_count(about, kMindSporeWorker); }
std::string ms_servers(const AboutApp& about) { return ms_count(about, kMindSporeServer); }

std::string ms_role(const AboutApp& about) {
  return about.spec.roles == model::Roles::mindspore ? about.app().role : std::string();
}

// The scheduler has none: its place is not among the workers'.
std::string ms_node(const About& about) {
  if (about.spec.roles != model::Roles::mindspore) return {};
  if (about.app().role == kMindSporeScheduler) return {};
  return std::to_string(index_in_role(about.spec, about.plan, base::Rank(about.rank)));
}

// For data that is cut by these, as msrun sets them; there the scheduler has a number, too.
std::string ms_rank(const About& about) {
  if (about.spec.roles != model::Roles::mindspore) return {};
  return about.app().role == kMindSporeScheduler ? "0" : ms_node(about);
}

std::string ms_device(const About& about) {
  if (about.spec.gpus_per_rank > 0 || ms_node(about).empty()) return {};
  return std::to_string(place_in_role(about.spec, about.plan, base::Rank(about.rank)));
}

// Otherwise a worker takes its first interface, which may be docker's.
std::string ms_address(const About& about) {
  return ms_node(about).empty() ? std::string() : about.where.point.addresses[about.node];
}

// msrun's default.
std::string ms_timeout(const AboutApp& about) {
  return about.spec.roles == model::Roles::mindspore ? "600" : "";
}

// Tags of the runs that a rank begins. In a file store each rank has runs of its own, and whoever
// reads it wants to know which.
std::string mlflow_context(const About& about) {
  const model::Variable* uri = find(about.kept, "MLFLOW_TRACKING_URI");
  if (uri == nullptr || !uri->value.starts_with("file:")) return {};
  return fmt::format("{{\"muster.rank\": \"{}\"}}", about.rank);
}

// MPICH 5 refuses to choose where it finds the names of both PMI-1 and PMIx
// (check_MPIR_CVAR_PMI_VERSION); older ones take 1 unless told otherwise.
std::string pmi_version(const AboutApp& about) {
  return about.spec.wireup == model::Wireup::automatic ? "1" : "";
}

// JAX looks for Open MPI's variables only where this one exists (OmpiCluster.is_env_present); it
// takes the address from JAX_COORDINATOR_ADDRESS. With a value, MPI_Comm_spawn of Open MPI 4 fails.
// Then it takes just the one device with the rank's local number: wrong for ranks that see only
// their own, for one that is all alone, and, unless asked for as under mpirun, for one that is
// alone on its node.
bool jax_sees_open_mpi(const About& about) {
  const bool has_mpi = about.spec.wireup != model::Wireup::none;
  const bool is_shared = about.spec.lone_ranks_start_workers && about.plan.ranks.size() > 1;
  const bool are_alone = about.twins.nodes.size() < 2 && !is_shared;
  return has_mpi && !about.spec.ranks_have_own_gpus() && !are_alone;
}

constexpr Word kWords[] = {
    {"ASCEND_RT_VISIBLE_DEVICES", "--gpus-per-rank", ascend},
    {"AZUREML_CR_NODE_RANK", "Azure ML", node},
    {"AZUREML_NODE_COUNT", "Azure ML", nodes},
    {"AZUREML_PROCESS_NAME", "Azure ML", azure_process},
    {"AZ_BATCHAI_JOB_MASTER_NODE_IP", "Azure ML", azure_address},
    {"AZ_BATCHAI_MPI_MASTER_NODE", "Azure ML", azure_address},
    {"AZ_BATCHAI_PYTORCH_INIT_METHOD", "Azure ML", azure_init_method},
    {"AZ_BATCHAI_TASK_INDEX", "Azure ML", azure_task},
    {"AZ_BATCH_HOST_LIST", "Azure ML", addresses},
    {"AZ_BATCH_MASTER_NODE", "Azure ML", azure_master},
    {"CROSS_RANK", "DeepSpeed", across},
    {"CROSS_SIZE", "DeepSpeed", nodes_across},
    {"CUDA_VISIBLE_DEVICES", "--gpus-per-rank", cuda},
    {"DEVICE_ID", "MindSpore", ms_device},
    // Sources: libfabric's fi_sockets(7) and fi_tcp(7), which Intel MPI uses as well.
    {"FI_SOCKETS_IFACE", "network", mpich_interface, Yields::to_own},
    {"FI_TCP_IFACE", "network", mpich_interface, Yields::to_own},
    {"GLOO_SOCKET_IFNAME", "network", interface, Yields::to_own},
    {"GROUP_RANK", "torch", node},
    {"GROUP_WORLD_SIZE", "torch", nodes},
    {"HIP_VISIBLE_DEVICES", "--gpus-per-rank", hip},
    {"HOROVOD_CONTROLLER", "Horovod", gloo},
    {"HOROVOD_CPU_OPERATIONS", "Horovod", gloo},
    {"HOROVOD_CROSS_RANK", "Horovod", cross_rank},
    {"HOROVOD_CROSS_SIZE", "Horovod", cross_size},
    {"HOROVOD_GLOO_IFACE", "Horovod", gloo_interface},
    {"HOROVOD_GLOO_RENDEZVOUS_ADDR", "Horovod", gloo_address},
    {"HOROVOD_GLOO_RENDEZVOUS_PORT", "Horovod", gloo_port},
    {"HOROVOD_HOSTNAME", "Horovod", host},
    {"HOROVOD_LOCAL_RANK", "Horovod", local_rank},
    {"HOROVOD_LOCAL_SIZE", "Horovod", local_size},
    {"HOROVOD_RANK", "Horovod", rank},
    {"HOROVOD_SIZE", "Horovod", world},
    // jax.distributed.initialize(): rank 0 listens there, as it would for torch.
    {"JAX_COORDINATOR_ADDRESS", "JAX", azure_master},
    {"JAX_NUM_PROCESSES", "JAX", world},
    {"JAX_PROCESS_ID", "JAX", rank},
    {"LOCAL_RANK", "torch", local_rank},
    {"LOCAL_SIZE", "DeepSpeed", size_here},
    {"LOCAL_WORLD_SIZE", "torch", local_size},
    {"MASTER_ADDR", "torch", address},
    {"MASTER_PORT", "torch", port},
    {"MKL_NUM_THREADS", "threads", threads, Yields::to_threads},
    {"MLFLOW_RUN_CONTEXT", "MLflow", mlflow_context, Yields::to_own},
    {"MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE", "network", mpich_interface, Yields::to_own},
    {"MPIR_CVAR_PMI_VERSION", "MPICH", pmi_version, Yields::to_own},
    {"MPI_LOCALNRANKS", "MPICH", local_size},
    {"MPI_LOCALRANKID", "MPICH", local_rank},
    {"MS_NODE_ID", "MindSpore", ms_node},
    {"MS_ROLE", "MindSpore", ms_role},
    {"MS_SCHED_HOST", "MindSpore", ms_host},
    {"MS_SCHED_PORT", "MindSpore", ms_port},
    {"MS_SERVER_NUM", "MindSpore", ms_servers},
    {"MS_TOPO_TIMEOUT", "MindSpore", ms_timeout, Yields::to_own},
    {"MS_WORKER_IP", "MindSpore", ms_address, Yields::to_own},
    {"MS_WORKER_NUM", "MindSpore", ms_workers},
    {"MUSTER_DEADLINE", "muster", deadline_of},
    {"MUSTER_JOB", "muster", job},
    {"MUSTER_MAX_RESTARTS", "muster", restarts_at_most},
    {"MUSTER_RESTART_COUNT", "muster", restarts},
    // The name of torch 1.13, then that of 2.x.
    {"NCCL_ASYNC_ERROR_HANDLING", "torchrun", nccl_errors, Yields::to_own},
    {"NCCL_SOCKET_IFNAME", "network", nccl_interface, Yields::to_own},
    {"NODE_RANK", "torch", node},
    {"NUMEXPR_NUM_THREADS", "threads", threads, Yields::to_threads},
    {"OMPI_APP_CTX_NUM_PROCS", "Open MPI", app_sizes},
    {"OMPI_ARGV", "Open MPI", arguments},
    {"OMPI_COMMAND", "Open MPI", program_word},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "Open MPI", local_rank},
    {"OMPI_COMM_WORLD_LOCAL_SIZE", "Open MPI", local_size},
    {"OMPI_COMM_WORLD_NODE_RANK", "Open MPI", local_rank},  // despite its name, within the node
    {"OMPI_COMM_WORLD_RANK", "Open MPI", rank},
    {"OMPI_COMM_WORLD_SIZE", "Open MPI", world},
    {"OMPI_FIRST_RANKS", "Open MPI", first_ranks},
    {"OMPI_MCA_btl_tcp_if_include", "network", open_mpi_interface, Yields::to_own},
    {"OMPI_MCA_orte_hnp_uri", "JAX", jax_sees_open_mpi},
    {"OMPI_NUM_APP_CTX", "Open MPI", app_count},
    {"OMPI_UNIVERSE_SIZE", "Open MPI", universe},
    {"OMP_NUM_THREADS", "threads", omp_threads, Yields::to_threads},
    {"OPENBLAS_NUM_THREADS", "threads", threads, Yields::to_threads},
    {"PYTHONUNBUFFERED", "python", one, Yields::to_own},
    {"RANK", "torch", rank},
    {"RANK_ID", "MindSpore", ms_rank},
    {"RANK_SIZE", "MindSpore", ms_workers},
    {"ROCR_VISIBLE_DEVICES", "--gpus-per-rank", rocr},
    {"ROLE_NAME", "torch", role},
    {"ROLE_RANK", "torch", rank},
    {"ROLE_WORLD_SIZE", "torch", world},
    {"TF_CONFIG", "TensorFlow", tensorflow},
    {"TORCHELASTIC_MAX_RESTARTS", "torchrun", max_restarts},
    {"TORCHELASTIC_RESTART_COUNT", "torchrun", restart_count},
    {"TORCHELASTIC_RUN_ID", "torchrun", run_id},
    {"TORCHELASTIC_USE_AGENT_STORE", "torchrun", agent_store},
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "torchrun", nccl_errors, Yields::to_own},
    {"TP_SOCKET_IFNAME", "network", interface, Yields::to_own},
    {"UCX_NET_DEVICES", "network", ucx_devices, Yields::to_own},
    {"WORLD_SIZE", "torch", world},
    {"ZE_AFFINITY_MASK", "--gpus-per-rank", level_zero},
};
static_assert(std::ranges::is_sorted(kWords, {}, &Word::name));

}  // namespace

std::span<const Word> variable_table() { return kWords; }

const model::Variable* find(const Forwarded& kept, std::string_view name) {
  const auto found = std::ranges::lower_bound(kept.kept, name, {}, &model::Variable::name);
  return found != kept.kept.end() && found->name == name ? &*found : nullptr;
}

bool is_exported(const AboutApp& about, std::string_view name) {
  const auto& exports = about.app().exports;
  return std::ranges::find(exports, name, &model::EnvSetting::name) != exports.end();
}

}  // namespace muster::plan
