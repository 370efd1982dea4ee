// MPIJobs: which MPI starts the ranks, and as which user sshd and ranks run.
//
// Facts from mpi-operator: pkg/controller/mpi_job_controller.go (the variables and the hostfile of
// each MPI), examples/v2beta1/pi and build/base (sshd as another user than root).
#include <algorithm>
#include <fmt/format.h>

#include "base/words.hpp"
#include "job/head_launcher.hpp"
#include "kubernetes/exported.hpp"

namespace muster::kubernetes {
namespace {

using base::fail;
using base::Fault;

constexpr const char* kMpiSshFolder = "/home/mpiuser/.ssh";  // of the operator's own images

struct MpiSign {
  std::string_view text;
  Mpi mpi;
};

// Of an image's name; in small letters.
constexpr MpiSign kMpiImages[] = {{"intelmpi", Mpi::intel},     {"intel-mpi", Mpi::intel},
                                  {"oneapi", Mpi::intel},       {"mpioperator/intel", Mpi::intel},
                                  {"mpi-pi:intel", Mpi::intel}, {"openmpi", Mpi::open_mpi},
                                  {"mpich", Mpi::mpich}};

// Of the names of variables, which Hydra's options set, too.
constexpr MpiSign kMpiVariables[] = {{"I_MPI_", Mpi::intel},       {"OMPI_MCA_", Mpi::open_mpi},
                                     {"PRTE_MCA_", Mpi::open_mpi}, {"HYDRA_", Mpi::mpich},
                                     {"MPIR_CVAR_", Mpi::mpich},   {"MPICH_", Mpi::mpich}};

// Of a launcher's words: those that the others do not know.
constexpr MpiSign kMpiWords[] = {
    {"--mca", Mpi::open_mpi},    {"-mca", Mpi::open_mpi},    {"-x", Mpi::open_mpi},
    {"--map-by", Mpi::open_mpi}, {"-map-by", Mpi::open_mpi}, {"--allow-run-as-root", Mpi::open_mpi},
    {"-genv", Mpi::mpich},       {"-genvall", Mpi::mpich},   {"-genvlist", Mpi::mpich},
    {"-genvnone", Mpi::mpich},   {"-ppn", Mpi::mpich},       {"-perhost", Mpi::mpich},
    {"-launcher", Mpi::mpich},   {"-iface", Mpi::mpich},     {"-bootstrap", Mpi::intel}};

// Of a launcher's own name.
constexpr MpiSign kMpiLaunchers[] = {
    {"mpiexec.hydra", Mpi::mpich},     {"mpiexec.mpich", Mpi::mpich},
    {"mpirun.mpich", Mpi::mpich},      {"mpiexec.openmpi", Mpi::open_mpi},
    {"mpirun.openmpi", Mpi::open_mpi}, {"orterun", Mpi::open_mpi},
    {"prterun", Mpi::open_mpi}};

template <std::size_t N, class Matches>
std::optional<Mpi> mpi_sign_in(const MpiSign (&signs)[N], const Matches& matches) {
  const auto found =
      std::ranges::find_if(signs, [&](const MpiSign& sign) { return matches(sign.text); });
  return found == std::end(signs) ? std::nullopt : std::optional(found->mpi);
}

// What a shell would split: good enough for words that look like nothing else.
std::vector<std::string> typed_words(const job::JobFile& job) {
  if (job.command) return base::split(job.command->text, " \t\n'\"");
  std::vector<std::string> words;
  for (const job::Text& word : job.words) words.push_back(word.text);
  return words;
}

std::optional<Mpi> mpi_of_variables(const ExportedJob& job) {
  std::vector<std::string> names = typed_words(job.job);
  for (const model::EnvSetting& one : job.apps.front().exports) names.push_back(one.name);
  return mpi_sign_in(kMpiVariables, [&](std::string_view sign) {
    return std::ranges::any_of(names, [&](const auto& name) { return name.starts_with(sign); });
  });
}

std::optional<Mpi> mpi_of_command(const ExportedJob& job) {
  const std::string launcher = job::head_launcher(job.job);
  const auto by_name =
      mpi_sign_in(kMpiLaunchers, [&](std::string_view s) { return s == launcher; });
  if (by_name) return by_name;
  if (!launcher.starts_with("mpi")) return std::nullopt;
  const std::vector<std::string> words = typed_words(job.job);
  return mpi_sign_in(kMpiWords,
                     [&](std::string_view s) { return std::ranges::count(words, s) > 0; });
}

std::optional<Mpi> mpi_of_image(const ExportedJob& job) {
  const std::string image = base::lower(job.run.workers.front().plan.image);
  return mpi_sign_in(kMpiImages,
                     [&](std::string_view s) { return image.find(s) != std::string::npos; });
}

std::string_view mpi_word(Mpi mpi) {
  return mpi == Mpi::open_mpi ? "OpenMPI" : mpi == Mpi::intel ? "Intel" : "MPICH";
}

// ---- users --------------------------------------------------------------------------------------

// Root's sshd is the operator's own command.
std::vector<std::string> sshd_command(const job::Cluster& cluster) {
  if (!cluster.user) return {};
  return {"/usr/sbin/sshd", "-De", "-f", sshd_config(cluster)};
}

}  // namespace

std::vector<std::string> own_mpirun(const ExportedJob& job, const PodPlan& plan, Mpi mpi) {
  const std::string ranks = std::to_string(job.layout.parts.front().processes);
  std::vector<std::string> words = {"mpirun", "-n", ranks, "-ppn",
                                    std::to_string(job.layout.per_node)};
  if (mpi == Mpi::open_mpi) {
    words = {"mpirun", "-np", ranks, "--map-by", "slot", "--bind-to", "none"};
    for (const Word& variable : plan.variables) {
      words.insert(words.end(), {"-x", variable.name});
    }
    for (const std::string& variable : plan.secret_variables) {
      words.insert(words.end(), {"-x", variable});
    }
  }
  words.insert(words.end(), plan.command.begin(), plan.command.end());
  return words;
}

void set_mpi_variables(PodPlan& launcher, Mpi mpi, bool as_root) {
  if (mpi == Mpi::open_mpi && as_root) {
    set_variable(launcher, {"OMPI_ALLOW_RUN_AS_ROOT", "1"});
    set_variable(launcher, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"});
  }
  if (mpi == Mpi::mpich) {
    set_variable(launcher, {"HYDRA_LAUNCHER_EXTRA_ARGS", "-o ConnectionAttempts=10"});
  }
  set_variable(launcher, {"AZUREML_MPI_HOSTFILE", "/etc/mpi/hostfile"});
}

Mpi mpi_of(const ExportedJob& job) {
  if (const auto& said = job.run.cluster.mpi.implementation) {
    return said->text == "OpenMPI" ? Mpi::open_mpi
           : said->text == "Intel" ? Mpi::intel
                                   : Mpi::mpich;
  }
  const auto of_command = mpi_of_command(job);
  if (of_command == Mpi::open_mpi) return Mpi::open_mpi;
  // Intel MPI's launcher is Hydra, too.
  const auto of_variables = mpi_of_variables(job);
  const auto of_image = mpi_of_image(job);
  for (const auto& one : {of_variables, of_image}) {
    if (one && (!of_command || *one == Mpi::intel)) return *one;
  }
  return of_command.value_or(Mpi::open_mpi);
}

std::string ssh_folder(const job::Cluster& cluster) {
  return cluster.mpi.ssh_folder ? cluster.mpi.ssh_folder->text : kMpiSshFolder;
}

std::string sshd_config(const job::Cluster& cluster) {
  if (cluster.mpi.sshd_config) return cluster.mpi.sshd_config->text;
  const std::string folder = ssh_folder(cluster);
  return folder.substr(0, folder.rfind('/')) + "/.sshd_config";
}

base::Result<std::vector<Value>> mpi_objects(const ExportedJob& job) {
  if (!is_of(job.job, job::Framework::mpi)) return no_fit(job, "an MPIJob");
  if (job::head_launcher(job.job) == "deepspeed") {
    return fail(Fault::usage, "--as job or jobset fits it",
                "a job that deepspeed starts cannot be an MPIJob");
  }
  const Mpi mpi = mpi_of(job);
  const job::Cluster& cluster = job.run.cluster;
  PodPlan launcher = part_plan(job, 0);
  if (!job.layout.launches) launcher.command = own_mpirun(job, launcher, mpi);
  launcher.role = "launcher";
  launcher.resources = job.run.launcher.resources;
  launcher.node_selector.clear();
  set_mpi_variables(launcher, mpi, !cluster.user);
  PodPlan worker = part_plan(job, 0);
  worker.role = "worker";
  worker.command = sshd_command(cluster);
  PodParts parts = operator_parts(job, "launcher");
  parts.as_root = !cluster.user;
  parts.binds_port = cluster.user.has_value();
  Value specs = object().add("Launcher", replica_spec(1, pod_template(job, launcher, parts)));
  parts.container = "worker";
  specs.add("Worker", replica_spec(job.layout.nodes, pod_template(job, worker, parts)));
  Value spec =
      object()
          .add("slotsPerWorker", job.layout.launches ? job.layout.slots : job.layout.per_node)
          .add("runPolicy", run_policy(job, job.layout.nodes + 1));
  if (mpi != Mpi::open_mpi) spec.add("mpiImplementation", std::string(mpi_word(mpi)));
  if (cluster.user || cluster.mpi.ssh_folder) spec.add("sshAuthMountPath", ssh_folder(cluster));
  spec.add("mpiReplicaSpecs", std::move(specs));
  return std::vector<Value>{
      operator_object(job, "kubeflow.org/v2beta1", "MPIJob").add("spec", std::move(spec))};
}

}  // namespace muster::kubernetes
