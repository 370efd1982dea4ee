// Jobs and JobSets in whose pods muster runs, without a client.
#include <algorithm>
#include <fmt/format.h>

#include "job/values.hpp"
#include "kubernetes/exported.hpp"
#include "kubernetes/gang.hpp"
#include "kubernetes/render.hpp"
#include "spec/in_quotes.hpp"

namespace muster::kubernetes {
namespace {

constexpr const char* kJobKey = "job.yml";

Program exported_program(const ExportedJob& job) {
  return job.run.cluster.muster_image ? Program::copied : Program::in_image;
}

std::vector<std::string> with_program(const ExportedJob& job, std::vector<std::string> words) {
  return program_words(exported_program(job), 0, std::move(words));
}

PodParts muster_parts(const ExportedJob& job, const std::string& role) {
  PodParts parts;
  parts.container = role;
  parts.program = exported_program(job);
  parts.secret = name_of(job);
  parts.mounts_secret = true;
  return parts;
}

Value config_map(const ExportedJob& job) {
  return object()
      .add("apiVersion", "v1")
      .add("kind", "ConfigMap")
      .add("metadata", object_metadata(job))
      .add("data", object().add(kJobKey, text_for_pods(job)));
}

// Gives the launcher's pod a name; it may be asked for before the pod is ready.
Value service(const ExportedJob& job) {
  Value selected = object()
                       .add("app.kubernetes.io/instance", name_of(job))
                       .add("app.kubernetes.io/component", "launcher");
  Value port = object().add("name", "muster").add("port", job.run.port);
  Value spec = object()
                   .add("clusterIP", "None")
                   .add("publishNotReadyAddresses", true)
                   .add("selector", std::move(selected))
                   .add("ports", std::vector<Value>{std::move(port)});
  return object()
      .add("apiVersion", "v1")
      .add("kind", "Service")
      .add("metadata", object_metadata(job))
      .add("spec", std::move(spec));
}

Value launcher_pod(const ExportedJob& job, std::vector<Field> more) {
  PodPlan plan = job.run.launcher;
  for (const job::Text& name : job.job.secrets) plan.secret_variables.push_back(name.text);
  std::vector<std::string> words = lead_words(job.run);
  words.emplace_back(exported_program(job) == Program::in_image ? "muster" : kProgram);
  for (const char* one : {"submit", "--target", "allocation", "--no-snapshot"}) {
    words.emplace_back(one);
  }
  for (const std::string& one : job.more) words.push_back(literal(one));
  // What pods before this one have written is noted nowhere.
  if (std::ranges::any_of(job.job.outputs, job::says_path)) words.emplace_back("--force");
  words.push_back(fmt::format("{}/{}", kConfigFolder, kJobKey));
  plan.command = with_program(job, std::move(words));
  PodParts parts = muster_parts(job, "launcher");
  parts.config = name_of(job);
  parts.more = std::move(more);
  return pod_spec(plan, parts, job.run.cluster);
}

// `first`: the number of the node that such a pod with the index 0 is.
Value exported_worker(const ExportedJob& job, const Workers& workers, const std::string& address,
                      std::uint32_t first) {
  PodPlan plan = workers.plan;
  std::vector<std::string> words = join_words(job.run, address, "$(MUSTER_NODE)");
  if (first == 0) {
    plan.command = with_program(job, std::move(words));
  } else {
    std::erase(words, "--node");
    std::erase(words, "$(MUSTER_NODE)");
    plan.command = {"sh", "-c",
                    literal(fmt::format(R"sh(exec "$@" --node "$(({} + MUSTER_NODE))")sh", first)),
                    "sh"};
    for (std::string& word : with_program(job, std::move(words))) {
      plan.command.push_back(std::move(word));
    }
  }
  Value pod = pod_spec(plan, muster_parts(job, plan.role), job.run.cluster);
  add_index_variable(pod);
  return pod;
}

Value job_object(const ExportedJob& job, const std::string& role, Value spec) {
  Value meta = object_metadata(job);
  const auto set = [](Value& map, std::string_view name, Value value) {
    std::ranges::find(map.fields, name, &Field::name)->value = std::move(value);
  };
  set(meta, "name", fmt::format("{}-{}", name_of(job), role));
  return object()
      .add("apiVersion", "batch/v1")
      .add("kind", "Job")
      .add("metadata", std::move(meta))
      .add("spec", std::move(spec));
}

struct RoleSpec {
  std::string role;
  Value spec;  // of a Job
};

std::vector<RoleSpec> specs_of(const ExportedJob& job, const std::string& address,
                               std::vector<Field> more) {
  std::vector<RoleSpec> all;
  all.push_back({"launcher", job_spec(job.run, 1, false, pod_labels(job, "launcher"),
                                      launcher_pod(job, std::move(more)))});
  std::uint32_t first = 0;
  for (const Workers& workers : job.run.workers) {
    const std::string& role = workers.plan.role;
    all.push_back({role, job_spec(job.run, workers.count, true, pod_labels(job, role),
                                  exported_worker(job, workers, address, first))});
    first += workers.count;
  }
  return all;
}

std::size_t offset_of(std::string_view text, job::Mark mark) {
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < mark.line; ++line) at = text.find('\n', at) + 1;
  const auto continues = [&] {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
  };
  for (std::uint32_t column = 1; column < mark.column && at < text.size(); ++column) {
    ++at;
    while (continues()) ++at;
  }
  return std::min(at, text.size());
}

std::string in_quotes(const std::string& text) {
  std::string made = "'";
  for (const char c : text) made += c == '\'' ? "''" : std::string(1, c);
  return made + "'";
}

// Blanks before a line's end cannot be shown in a block of YAML.
std::string without_trailing_blanks(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    made += line.substr(0, line.find_last_not_of(" \t\r") + 1);
    if (end < text.size()) made += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return made;
}

}  // namespace

std::string text_for_pods(const ExportedJob& job) {
  std::string text = job.text;
  if (job.job.code) {
    const std::size_t begin = offset_of(text, job.job.code->begin);
    const std::size_t end = std::max(begin, offset_of(text, job.job.code->end));
    text.replace(begin, end - begin, in_quotes(code_folder(job)));
  }
  return without_trailing_blanks(text);
}

std::vector<Value> job_objects(const ExportedJob& job) {
  const std::string name = name_of(job);
  std::vector<Value> all = {config_map(job), service(job)};
  if (has_gang(job.run.cluster)) all.push_back(pod_group(job.run, object_metadata(job)));
  std::vector<Field> more = {{"hostname", "launcher"}, {"subdomain", name}};
  for (RoleSpec& one : specs_of(job, "launcher." + name, std::move(more))) {
    if (job.suspended) one.spec.add("suspend", true);
    all.push_back(job_object(job, one.role, std::move(one.spec)));
  }
  return all;
}

std::vector<Value> jobset_objects(const ExportedJob& job) {
  const std::string name = name_of(job);
  std::vector<Value> jobs;
  for (RoleSpec& one : specs_of(job, fmt::format("{}-launcher-0-0.{}", name, name), {})) {
    jobs.push_back(object()
                       .add("name", one.role)
                       .add("replicas", 1)
                       .add("template", object().add("spec", std::move(one.spec))));
  }
  Value success = object().add("operator", "All").add("targetReplicatedJobs", list({"launcher"}));
  Value spec = object()
                   .add("network", object().add("enableDNSHostnames", true))
                   .add("successPolicy", std::move(success))
                   .add("failurePolicy", object().add("maxRestarts", 0))
                   .add("replicatedJobs", std::move(jobs));
  if (job.suspended) spec.add("suspend", true);
  Value set = object()
                  .add("apiVersion", "jobset.x-k8s.io/v1alpha2")
                  .add("kind", "JobSet")
                  .add("metadata", object_metadata(job))
                  .add("spec", std::move(spec));
  std::vector<Value> all = {config_map(job)};
  if (has_gang(job.run.cluster)) all.push_back(pod_group(job.run, object_metadata(job)));
  all.push_back(std::move(set));
  return all;
}

}  // namespace muster::kubernetes
