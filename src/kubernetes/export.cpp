// Chooses the kind of an exported job, and says beside it what it cannot hold.
#include "kubernetes/export.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/words.hpp"
#include "job/input_type.hpp"
#include "job/names.hpp"
#include "job/values.hpp"
#include "kubernetes/exported.hpp"
#include "kubernetes/gang.hpp"
#include "kubernetes/text.hpp"
#include "spec/in_quotes.hpp"

namespace muster::kubernetes {
namespace {

constexpr std::string_view kAsWords[] = {"job",        "jobset", "mpijob",
                                         "pytorchjob", "tfjob",  "trainjob"};

bool runs_muster(As as) { return as == As::job || as == As::jobset; }

base::Result<std::vector<Value>> objects_of(const ExportedJob& job, As as) {
  if (job.cron) return cron_objects(job);
  switch (as) {
    case As::job:
      return job_objects(job);
    case As::jobset:
      return jobset_objects(job);
    case As::mpijob:
      return mpi_objects(job);
    case As::pytorchjob:
      return torch_objects(job);
    case As::tfjob:
      return tensorflow_objects(job);
    case As::trainjob:
      return train_objects(job);
  }
  return std::vector<Value>{};
}

// What must be in the image or in a volume.
std::string about_code(const ExportedJob& job) {
  return fmt::format(
      "the code is not part of it: what {} holds must lie in {} of the image, or of "
      "a volume (kubernetes: {{code: FOLDER}} in muster.yml)",
      spec::in_quotes(job.job.code->text), code_folder(job));
}

void about_program(const ExportedJob& job, std::vector<std::string>& lines) {
  if (job.run.cluster.muster_image) return;
  lines.emplace_back(
      "the image must hold muster on its PATH (or kubernetes: {muster_image: IMAGE} "
      "in muster.yml)");
}

std::string secret_command(const ExportedJob& job, As as) {
  std::string command = "kubectl create secret generic " + name_of(job);
  if (runs_muster(as) && !job.cron) command += " --from-literal=secret=\"$(openssl rand -hex 32)\"";
  for (const job::Text& name : job.job.secrets) {
    command += fmt::format(" --from-literal={}=\"${}\"", name.text, name.text);
  }
  return command;
}

// "./out", "~/out": below a folder of the pod itself. Where an expression leads is not known.
bool lies_in_pod(std::string_view path) {
  const bool is_open = path.find("${{") != path.npos || path.find("://") != path.npos;
  return !path.starts_with('/') && !is_open;
}

void about_data(const ExportedJob& job, std::vector<std::string>& lines) {
  std::string paths;
  for (const job::Input& input : job.job.inputs) {
    const bool is_path = job::type_of(input, job.job.dialect) == job::InputType::path;
    if (!is_path || !input.value || job::is_fetched(input.value->text)) continue;
    paths += (paths.empty() ? "" : ", ") + input.name;
  }
  if (!paths.empty()) {
    lines.push_back("the pods must see these inputs at the paths that the command names: " + paths);
  }
  const bool loses = std::ranges::any_of(
      job.job.outputs, [](const job::Output& one) { return !job::says_path(one); });
  if (loses) {
    lines.emplace_back("outputs without a path go with their pods: give them one in a volume");
  }
  std::string relative;
  for (const job::Output& one : job.job.outputs) {
    if (!job::says_path(one) || !lies_in_pod(one.path->text)) continue;
    relative += (relative.empty() ? "" : ", ") + one.name;
  }
  if (!relative.empty()) {
    lines.push_back(
        "outputs with relative paths go with their pods: give them absolute paths in a volume: " +
        relative);
  }
}

void about_sshd(const job::Cluster& cluster, std::vector<std::string>& lines) {
  const bool restricted = !cluster.security || cluster.security->text == "restricted";
  if (cluster.user) {
    lines.push_back(
        fmt::format("sshd runs as the user {}: the image must have this user, and {} for its sshd",
                    cluster.user->number, sshd_config(cluster)));
  } else if (restricted) {
    lines.emplace_back(
        "the pods of an MPIJob run sshd as root: their namespace must allow the Pod Security "
        "Standard baseline (or kubernetes: {user: NUMBER} in muster.yml, for an image whose sshd "
        "needs no root)");
  }
}

// Only an operator that has been told to makes PodGroups, whatever the job says.
std::string about_gang(const job::Cluster& cluster, As as) {
  if (!has_gang(cluster) || runs_muster(as) || as == As::trainjob) return "";
  const bool is_mpi = as == As::mpijob;
  return fmt::format("gangs need {} started with {}={}",
                     is_mpi ? "mpi-operator" : "training-operator",
                     is_mpi ? "--gang-scheduling" : "--gang-scheduler-name", scheduler_of(cluster));
}

std::vector<std::string> beside(const ExportedJob& job, As as) {
  std::vector<std::string> lines;
  if (job.job.code) lines.push_back(about_code(job));
  if (runs_muster(as)) about_program(job, lines);
  about_data(job, lines);
  if (!runs_muster(as) && (!job.job.unset.empty() || !job.job.dialects.empty())) {
    lines.emplace_back("unset and dialects have no effect: the operator sets the variables");
  }
  if (job.cron && job.cron->zone != "Etc/UTC") {
    lines.emplace_back("timeZone needs Kubernetes 1.25: older servers drop it, and take their own");
  }
  if (as == As::mpijob) about_sshd(job.run.cluster, lines);
  if (as == As::trainjob) {
    for (std::string& line : beside_train(job)) lines.push_back(std::move(line));
  }
  if (const std::string line = about_gang(job.run.cluster, as); !line.empty()) {
    lines.push_back(line);
  }
  return lines;
}

std::string shell_text(const model::App& app) {
  const bool is_shell = app.command.size() == 3 && app.command[0] == "bash";
  return is_shell ? app.command[2] : "";
}

}  // namespace

std::optional<As> as_of(std::string_view word) {
  const auto* const found = std::ranges::find(kAsWords, word);
  if (found == std::end(kAsWords)) return std::nullopt;
  return static_cast<As>(found - std::begin(kAsWords));
}

std::string_view word(As as) { return kAsWords[static_cast<std::size_t>(as)]; }

std::string name_of(const ExportedJob& job) { return object_name(job.run.name); }

std::string code_folder(const ExportedJob& job) {
  if (!job.job.code) return "";
  const auto& said = job.run.cluster.code_folder;
  return said ? said->text : kCodeFolder;
}

Value pod_labels(const ExportedJob& job, const std::string& role) {
  return labels_of(name_of(job), role, job.run.cluster, job.run.labels);
}

Value object_metadata(const ExportedJob& job) {
  Value labels = pod_labels(job, "");
  if (job.run.cluster.queue) labels.add("kueue.x-k8s.io/queue-name", job.run.cluster.queue->text);
  return metadata(name_of(job), std::move(labels), job.run.cluster);
}

Value pod_template(const ExportedJob& job, const PodPlan& plan, const PodParts& parts) {
  return object()
      .add("metadata", object().add("labels", pod_labels(job, plan.role)))
      .add("spec", pod_spec(plan, parts, job.run.cluster));
}

Value replica_spec(std::uint32_t replicas, Value pod) {
  return object()
      .add("replicas", replicas)
      .add("restartPolicy", "Never")
      .add("template", std::move(pod));
}

Value run_policy(const ExportedJob& job, std::uint32_t pods) {
  Value policy = object().add("cleanPodPolicy", "Running").add("backoffLimit", 0);
  if (job.suspended) policy.add("suspend", true);
  policy.add_any("schedulingPolicy", scheduling_policy(job.run.cluster, pods));
  if (job.run.timeout) policy.add("activeDeadlineSeconds", job.run.timeout->count());
  if (job.run.cluster.ttl) policy.add("ttlSecondsAfterFinished", job.run.cluster.ttl->number);
  return policy;
}

void set_variable(PodPlan& plan, Word variable) {
  const auto found = std::ranges::find(plan.variables, variable.name, &Word::name);
  if (found != plan.variables.end()) {
    found->value = std::move(variable.value);
  } else {
    plan.variables.push_back(std::move(variable));
  }
}

PodPlan part_plan(const ExportedJob& job, std::size_t part, const std::string& prefix) {
  const model::App& app = job.apps[part];
  const std::size_t kind = std::min(part, job.run.workers.size() - 1);
  PodPlan plan = job.run.workers[kind].plan;
  if (!app.role.empty()) plan.role = app.role;
  plan.folder = code_folder(job);
  plan.command = app.command;
  if (!prefix.empty() && !shell_text(app).empty()) plan.command[2] = prefix + shell_text(app);
  plan.command = literal(std::move(plan.command));
  for (const model::EnvSetting& one : app.exports) {
    if (one.value) set_variable(plan, {one.name, *one.value});
  }
  for (const job::Text& name : job.job.secrets) plan.secret_variables.push_back(name.text);
  return plan;
}

base::Result<Manifest> export_job(const ExportedJob& job, As as) {
  return objects_of(job, as).map([&](std::vector<Value> objects) {
    Manifest manifest;
    manifest.objects = std::move(objects);
    manifest.notices = beside(job, as);
    const std::string how = job.cron ? "" : fmt::format(" --as {}", word(as));
    manifest.comments = {
        fmt::format("{}, for Kubernetes: muster export kubernetes{}", job.source, how)};
    for (const std::string& line : manifest.notices) manifest.comments.push_back("- " + line);
    if (as == As::job && !job.cron) {
      manifest.comments.push_back(fmt::format(
          "- workers find the launcher's pod by the name launcher.{}: the cluster needs DNS",
          name_of(job)));
    }
    if ((runs_muster(as) && !job.cron) || !job.job.secrets.empty()) {
      manifest.comments.emplace_back("Before it is applied, once:");
      manifest.comments.push_back("  " + secret_command(job, as));
    }
    return manifest;
  });
}

base::Result<std::string> manifest_text(const Manifest& manifest, bool json) {
  if (json) {
    if (manifest.objects.size() == 1) return to_json(manifest.objects.front());
    return to_json(
        object().add("apiVersion", "v1").add("kind", "List").add("items", manifest.objects));
  }
  return to_yaml(manifest.objects).map([&](const std::string& text) {
    std::string comments;
    for (const std::string& line : manifest.comments) comments += "# " + line + "\n";
    return comments + text;
  });
}

}  // namespace muster::kubernetes
