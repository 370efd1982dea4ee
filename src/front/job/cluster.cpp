// From a job and a cluster to pods, and to the words of muster in one of them.
#include "front/job/cluster.hpp"

#include <algorithm>
#include <chrono>

#include "front/environment_options.hpp"
#include "job/input_type.hpp"
#include "job/layout.hpp"
#include "job/values.hpp"
#include "kubernetes/job_run.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

// Of the run's objects.
std::string run_name(const Call& call) {
  return kubernetes::name_of_record(call.record_folder.substr(call.record_folder.rfind('/') + 1));
}

// ---- what the pods are --------------------------------------------------------------------------

std::string whose(const PodJob& one) { return one.name.empty() ? "the job" : "step " + one.name; }

kubernetes::Run run_of(const Call& call, const JobDraft& draft, const PodJob& one,
                       const job::Place& place, job::Complaints& complaints) {
  job::JobFile job = *one.job;
  job::Complaints heard(complaints.sources());  // by who has read the job before
  job::resize(job, draft.counts, heard);
  if (!draft.image.empty()) use_image(draft.image, job);
  const job::Layout layout = job::layout_of(job, place.instance_types);
  return kubernetes::run_of(run_name(call), {job, layout, place.target, place.instance_types},
                            complaints);
}

// The pods are made once, for all steps: as many as any of them needs.
void widen(kubernetes::Run& run, const kubernetes::Run& other, const PodJob& one,
           const PodJob& first, job::Complaints& complaints) {
  const kubernetes::PodPlan& mine = run.workers.front().plan;
  const kubernetes::PodPlan& theirs = other.workers.front().plan;
  if (mine.image != theirs.image) {
    complaints.add(one.job->image ? one.job->image->begin : job::Mark{},
                   fmt::format("{} needs the image {}, and {} needs {}: all steps of a pipeline "
                               "run in the same pods",
                               whose(one), spec::in_quotes(theirs.image), whose(first),
                               spec::in_quotes(mine.image)),
                   "name an image that holds the software of both");
  }
  const std::uint32_t count = std::max(kubernetes::nodes_of(run), kubernetes::nodes_of(other));
  run.workers.resize(1);
  run.workers.front().count = count;
  kubernetes::widen(run.workers.front().plan.resources, theirs.resources);
}

std::uint32_t most_slots(const JobDraft& draft, const std::vector<PodJob>& jobs,
                         const job::Place& place) {
  std::uint32_t slots = draft.counts.per_node.value_or(1);
  for (const PodJob& one : jobs) {
    const job::Layout layout = job::layout_of(*one.job, place.instance_types);
    slots = std::max({slots, layout.slots, layout.per_node});
  }
  return slots;
}

// ---- what muster is asked for in the launcher's pod ---------------------------------------------

// The options of `muster submit` that were typed here, but for those of where and how it is shown.
std::vector<std::string> words_of(const JobDraft& draft) {
  std::vector<std::string> words = {"--target", "allocation", "--tag"};
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  for (const job::Setting& one : draft.settings) add("--set", one.key + "=" + one.value);
  // Files of components are with those of the job.
  for (const job::Lead& one : draft.leads.components) {
    add("--set", fmt::format("components.{}={}{}", one.name, kJobFolder, one.to->text));
  }
  for (const job::Lead& one : draft.leads.data) {
    add("--set", fmt::format("data.{}={}", one.name, one.to->text));
  }
  for (const model::Tag& one : draft.tags) add("--set", "tags." + one.name + "=" + one.value);
  if (!draft.experiment.empty()) add("--experiment", draft.experiment);
  if (draft.counts.nodes) add("--nodes", std::to_string(*draft.counts.nodes));
  if (draft.counts.per_node) add("--per-node", std::to_string(*draft.counts.per_node));
  if (draft.at_once > 0) add("--jobs", std::to_string(draft.at_once));
  if (draft.retries > 0) add("--retries", std::to_string(draft.retries));
  for (const std::string& one : draft.skipped) add("--skip", one);
  for (const std::string& one : draft.secrets) add("--secret", one);
  for (const std::string& one : draft.environment.unset) add("--unset", one);
  if (draft.environment.silent) add("--dialects", list_of_dialects(*draft.environment.silent));
  if (draft.no_snapshot) words.emplace_back("--no-snapshot");
  if (draft.force) words.emplace_back("--force");
  if (draft.output.unbuffered) words.emplace_back("--unbuffered");
  if (draft.verbose) words.emplace_back("--verbose");
  return words;
}

bool is_download(const job::Input& input) {
  return input.mode && input.mode->text.find("download") != std::string::npos;
}

// Paths of this machine: those that are sent lie at the same place below the folder of the job's
// files, and only what is relative to the job file is found there by itself.
void check_data(const PodJob& one, job::Complaints& complaints) {
  for (const job::Input& input : one.job->inputs) {
    const bool is_path = job::type_of(input, one.job->dialect) == job::InputType::path;
    if (!is_path || !input.value || input.bound || input.swept) continue;
    const std::string& path = input.value->text;
    const bool is_relative = !path.starts_with('/') && !job::is_elsewhere(path);
    if (is_relative == is_download(input)) continue;
    if (is_relative) {
      complaints.add(
          input.value->begin,
          fmt::format("{} is on this machine, and the pods do not see it", spec::in_quotes(path)),
          "mode: download sends it with the job; or give its path in one of the "
          "target's volumes");
    } else {
      complaints.add(input.value->begin,
                     fmt::format("{} cannot be sent by its whole path", spec::in_quotes(path)),
                     "name it as seen from the job file; or, in a volume of the target, leave "
                     "mode: download out");
    }
  }
}

void check_operator(const job::Target& target, const PodJob& first, job::Complaints& complaints) {
  const auto& kind = target.kubernetes->operator_kind;
  if (!kind || first.name.empty()) return;
  complaints.add({},
                 fmt::format("the target {} has operator: {}, which carries out single jobs: no "
                             "pipeline and no sweep",
                             spec::in_quotes(target.name), kind->text),
                 "use a target without operator:");
}

}  // namespace

void use_image(const std::string& image, job::JobFile& job) {
  job.image = job::Text{image, {}, {}, true};
  job.workers.image.reset();
  job.servers.image.reset();
}

base::Result<void> check_container(const model::ContainerSpec& typed) {
  if (typed.from_here) {
    return base::fail(base::Fault::usage,
                      "push the image to a registry that they reach, and name it as it is there",
                      "--image-from-here has no meaning in a cluster, whose nodes pull images");
  }
  if (typed == model::ContainerSpec{}) return {};
  return base::fail(base::Fault::usage, "volumes and resources of pods are keys of muster.yml",
                    "options of a container runtime, such as --mount, have no meaning in a "
                    "cluster");
}

job::Place pods_of(const Call& call, job::Target target, std::uint32_t nodes) {
  const job::Cluster& cluster = *target.kubernetes;
  const std::uint32_t count = cluster.nodes ? std::min(cluster.nodes->number, nodes) : nodes;
  const std::string name = kubernetes::object_name(run_name(call));
  spec::HostsFound found{model::kHostsCalled, target.name, {}};
  for (std::uint32_t i = 0; i < count; ++i) {
    model::HostEntry& host = found.hosts.emplace_back();
    host.name = fmt::format("{}-worker-{}", name, i);
    host.place = {"target " + target.name, 0, 0};
  }
  for (const char* what : {"environment", "gpus"}) target.without.push_back({what, {}, {}, true});
  return {std::move(target), std::move(found), {}};
}

std::shared_ptr<ClusterRequest> cluster_request(const Call& call, const JobDraft& draft,
                                                const std::string& file, const job::Place& place,
                                                const std::vector<PodJob>& jobs,
                                                job::Complaints& complaints) {
  auto request = std::make_shared<ClusterRequest>();
  request->target = place.target.name;
  request->file = absolute(call, file == "-" ? "stdin.yml" : file);
  request->words = words_of(draft);
  request->tags = draft.output.tag;
  request->run = run_of(call, draft, jobs.front(), place, complaints);
  check_operator(place.target, jobs.front(), complaints);
  if (const auto limit = typed_start_timeout(draft)) {
    request->run.start_timeout =
        static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::seconds>(*limit).count());
  }
  request->run.slots = most_slots(draft, jobs, place);
  for (const PodJob& one : jobs) {
    if (!place.target.kubernetes->operator_kind) check_data(one, complaints);
    if (&one == &jobs.front()) continue;
    const kubernetes::Run other = run_of(call, draft, one, place, complaints);
    widen(request->run, other, one, jobs.front(), complaints);
  }
  return request;
}

}  // namespace muster::front
