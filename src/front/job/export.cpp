// Writes a job down for a scheduler that people use without muster.
#include "front/job/export.hpp"

#include <algorithm>
#include <utility>

#include "base/address.hpp"
#include "base/nearest.hpp"
#include "batch/system.hpp"
#include "front/job/batch.hpp"
#include "front/job/cluster.hpp"
#include "front/job/environment_files.hpp"
#include "front/job/export_schedule.hpp"
#include "front/job/known_names.hpp"
#include "front/job/place.hpp"
#include "front/job/rehearsal.hpp"
#include "job/check_cluster.hpp"
#include "job/input_type.hpp"
#include "job/job_spec.hpp"
#include "job/read_job.hpp"
#include "job/read_pipeline.hpp"
#include "job/schedule.hpp"
#include "job/target.hpp"
#include "job/values.hpp"
#include "job/yaml.hpp"
#include "kubernetes/export.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

// In a pod, until the job says where.
constexpr const char* kPodOutputs = "/tmp/outputs";

// A target of muster.yml that is a cluster; without one, any cluster.
Result<job::Target> cluster_target(const JobDraft& draft, const job::JobFile& job,
                                   const job::Targets& known) {
  const std::string wanted = job.target ? job.target->text : "";
  auto chosen = job::choose_target(known, draft.target.empty() ? wanted : draft.target);
  if (chosen && chosen->kubernetes) return chosen;
  if (draft.target.empty()) {
    job::Target any;
    any.name = "kubernetes";
    any.kubernetes.emplace();
    return any;
  }
  if (!chosen) return chosen;
  return fail(Fault::usage, "describe it in muster.yml: kubernetes: {namespace: ..., image: ...}",
              "the target {} is not a Kubernetes cluster", spec::in_quotes(chosen->name));
}

// As many nodes as are asked for, with all software.
job::Target target_with_all(job::Target target) {
  target.fake_nodes = job::Count{model::kRanksMax, {}};
  for (const char* what : {"environment", "gpus"}) target.without.push_back({what, {}, {}, true});
  return target;
}

std::string file_stem(const std::string& file) {
  const std::string name = file.substr(file.rfind('/') + 1);
  const std::string stem = name.substr(0, name.rfind('.'));
  return stem.empty() || stem == "-" ? "job" : stem;
}

std::string name_of_objects(const JobDraft& draft, const job::JobFile& job,
                            const std::string& file) {
  if (!draft.name.empty()) return draft.name;
  if (job.name) return job.name->text;
  return file_stem(file);
}

// `found`: what the job's names of data stand for here; nobody in the pods would know it.
std::vector<std::string> words_for_submit(const JobDraft& draft, const job::Leads& found) {
  std::vector<std::string> words;
  const auto add = [&](std::string option, std::string value) {
    words.push_back(std::move(option));
    words.push_back(std::move(value));
  };
  for (const job::Setting& one : draft.settings) add("--set", one.key + "=" + one.value);
  job::Leads leads = draft.leads;
  leads.data = found.data;
  for (std::string& one : words_for_set(leads)) add("--set", std::move(one));
  if (draft.counts.nodes) add("--nodes", std::to_string(*draft.counts.nodes));
  if (draft.counts.per_node) add("--per-node", std::to_string(*draft.counts.per_node));
  return words;
}

kubernetes::As kind_of(const JobDraft& draft, const job::Cluster& cluster) {
  if (!draft.as.empty()) return kubernetes::as_of(draft.as).value_or(kubernetes::As::job);
  const std::string word = cluster.operator_kind ? cluster.operator_kind->text : "job";
  return kubernetes::as_of(word).value_or(kubernetes::As::job);
}

Result<void> check_kind(const job::JobFile& job, const std::string& text) {
  if (job::is_pipeline(text)) {
    return fail(Fault::usage, "export the job of each step by itself",
                "a pipeline or a sweep cannot be exported");
  }
  if (!job.parallel) return {};
  return fail(Fault::usage, "", "a parallel job cannot be exported");
}

// What is typed wins over the target.
Result<void> take_typed(const JobDraft& draft, job::Cluster& cluster) {
  const kubernetes::As as = kind_of(draft, cluster);
  if (!draft.mpi.empty() && as != kubernetes::As::mpijob) {
    return fail(Fault::usage, "leave it out, or write --as mpijob", "--mpi is for MPIJobs");
  }
  if (!draft.runtime.empty() && as != kubernetes::As::trainjob) {
    return fail(Fault::usage, "leave it out, or write --as trainjob", "--runtime is for TrainJobs");
  }
  if (!draft.runtime.empty() && !job::is_runtime(draft.runtime)) {
    return fail(Fault::usage, job::kRuntimeHint, "--runtime cannot be {}",
                spec::in_quotes(draft.runtime));
  }
  if (!draft.mpi.empty()) cluster.mpi.implementation = job::Text{draft.mpi, {}, {}, true};
  if (!draft.runtime.empty()) cluster.runtime = job::Text{draft.runtime, {}, {}, true};
  return {};
}

// A job that has been read, and what is known of the place where it is to run.
struct ExportSource {
  job::JobFile job;
  std::string file;
  std::string text;
  job::Target target;
  std::vector<job::InstanceType> types;
  std::optional<kubernetes::Cron> cron = {};
  job::FindData find = {};            // what names of data stand for
  const KnownNames* names = nullptr;  // that remember what they have found; null: nobody asks
};

// The value that counts, where another was typed or a name leads to it. An operator's pods run the
// command itself, and nothing that fetches files.
void take_values(const job::Values& values, kubernetes::As as, job::JobFile& job,
                 job::Complaints& complaints) {
  const bool runs_muster = as == kubernetes::As::job || as == kubernetes::As::jobset;
  for (job::Input& input : job.inputs) {
    const auto value = values.inputs.find(input.name);
    const bool is_path = job::type_of(input, job.dialect) == job::InputType::path;
    if (!is_path || value == values.inputs.end() || !value->second) continue;
    const job::Mark place = input.value ? input.value->begin : input.mark;
    input.value = job::Text{*value->second, place, place, true};
    if (runs_muster || !job::is_fetched(*value->second)) continue;
    complaints.add(
        place,
        fmt::format("the input {} is an address, and pods of an operator fetch nothing: "
                    "{}",
                    input.name, spec::in_quotes(base::without_secrets(*value->second))),
        fmt::format("give its path in one of the target's volumes: --set inputs.{}=PATH; "
                    "or --as job, where muster fetches it",
                    input.name));
  }
}

// Without objects where there are complaints.
Result<kubernetes::Manifest> manifest_of(const Call& call, const JobDraft& draft,
                                         ExportSource& source, const std::string& name,
                                         job::Complaints& complaints) {
  job::JobFile& job = source.job;
  job::resize(job, draft.counts, complaints);
  const std::string folder = folder_of(absolute(call, source.file));
  const job::Bases bases = {folder, call.current_folder, kPodOutputs, {}, source.find};
  const job::Values values = job::values_of(job, draft.settings, bases, complaints);
  const job::Place place{target_with_all(source.target), {}, source.types};
  const kubernetes::As as = kind_of(draft, *source.target.kubernetes);
  take_values(values, as, job, complaints);
  job::Made made = job::make_spec(job, values, place, folder, complaints);
  kubernetes::Run run =
      kubernetes::run_of(name, {job, made.layout, source.target, source.types}, complaints);
  run.slots = std::max(made.layout.slots, made.layout.per_node);
  if (!complaints.empty()) return kubernetes::Manifest{};
  const kubernetes::ExportedJob exported{
      std::move(run),
      job,
      made.layout,
      made.spec.apps,
      source.file,
      source.text,
      words_for_submit(draft, source.names ? source.names->found() : draft.leads),
      draft.suspended,
      source.cron};
  return kubernetes::export_job(exported, as);
}

Result<Reading> export_of(const Call& call, const JobDraft& draft, ExportSource source) {
  job::Complaints complaints(source.file);
  auto manifest =
      manifest_of(call, draft, source, name_of_objects(draft, source.job, source.file), complaints);
  Reading reading;
  reading.complaints = std::move(complaints).take();
  if (!reading.complaints.empty()) return reading;
  if (!manifest) return tl::unexpected(std::move(manifest.error()));
  auto text = kubernetes::manifest_text(*manifest, draft.json);
  if (!text) return tl::unexpected(std::move(text.error()));
  reading.text = std::move(*text);
  reading.notices = std::move(manifest->notices);
  if (!draft.output_file.empty()) reading.text_file = absolute(call, draft.output_file);
  return reading;
}

// What a client of an operator cannot bring into its pods.
void check_what_goes(const job::JobFile& job, const job::Target& target,
                     job::Complaints& complaints) {
  const std::string& kind = target.kubernetes->operator_kind->text;
  if (job.code && !target.kubernetes->code_folder) {
    complaints.add(job.code->begin,
                   fmt::format("the code cannot be sent to a target with operator: {}", kind),
                   "have it in the image or a volume, and say where: kubernetes: {code: FOLDER} "
                   "in muster.yml");
  }
  for (const job::Input& input : job.inputs) {
    const bool is_path = job::type_of(input, job.dialect) == job::InputType::path;
    if (!is_path || !input.value || input.bound || input.swept) continue;
    const std::string& path = input.value->text;
    if (path.starts_with('/') || job::is_elsewhere(path)) continue;
    complaints.add(
        input.value->begin,
        fmt::format("{} is on this machine, and the pods do not see it", spec::in_quotes(path)),
        "give its path in one of the target's volumes");
  }
}

// ---- batch systems ------------------------------------------------------------------------------

// A target of muster.yml for that system; without one, as the system's own defaults are.
Result<job::Target> batch_target(const JobDraft& draft, const std::string& kind,
                                 const std::optional<job::Text>& named, const job::Targets& known) {
  const std::string wanted = named ? named->text : "";
  auto chosen = job::choose_target(known, draft.target.empty() ? wanted : draft.target);
  if (chosen && chosen->batch && chosen->batch->kind == kind) return chosen;
  if (draft.target.empty()) {
    job::Target any;
    any.name = kind;
    any.batch.emplace().kind = kind;
    return any;
  }
  if (!chosen) return chosen;
  return fail(Fault::usage, fmt::format("describe it in muster.yml: {}: {{...}}", kind),
              "the target {} is not of that kind", spec::in_quotes(chosen->name));
}

struct BatchSource {
  const std::string& file;
  const job::JobReading& read;
  const job::Targets& known;
};

Result<Reading> export_batch(const Call& call, const JobDraft& draft, const std::string& kind,
                             const BatchSource& source) {
  const auto& [file, read, known] = source;
  auto target = batch_target(draft, kind, read.job.target, known);
  if (!target) return tl::unexpected(std::move(target.error()));
  // The script passes the target's `without:` on: the job in the queue runs on its allocation, and
  // does not read the target again.
  JobDraft asked = draft;
  for (const job::Text& what : target->without) asked.without.push_back(what.text);
  job::Place place = hosts_to_come(std::move(*target), 1);
  place.instance_types = known.instance_types;
  job::Complaints complaints(file);
  const auto request = batch_request(call, draft, file, place, {&read.job}, complaints);
  // What would be wrong with the job in the queue, too.
  job::JobFile job = read.job;
  if (!draft.target.empty()) job.target = job::Text{draft.target, {}, {}, true};
  Rehearsal rehearsal = rehearse(call, draft, file, std::move(job));
  complaints.add(std::move(rehearsal.complaints));
  Reading reading;
  reading.complaints = std::move(complaints).take();
  reading.notices = read.notices;
  std::ranges::move(rehearsal.notices, std::back_inserter(reading.notices));
  if (!reading.complaints.empty()) return reading;
  auto text = batch_script(call, asked, file, *request);
  if (!text) return tl::unexpected(std::move(text.error()));
  reading.text = std::move(*text);
  if (!draft.output_file.empty()) reading.text_file = absolute(call, draft.output_file);
  return reading;
}

// What people call a scheduler besides its name here.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"k8s", "kubernetes"},  {"kubectl", "kubernetes"},
    {"kube", "kubernetes"}, {"sbatch", "slurm"},
    {"srun", "slurm"},      {"qsub", "grid_engine"},
    {"sge", "grid_engine"}, {"gridengine", "grid_engine"},
    {"cron", "crontab"},
};

std::string engine_meant(const std::string& typed, const std::vector<std::string>& known) {
  for (const auto& [other, name] : kOtherNames) {
    if (other == typed) return fmt::format("did you mean {}?", name);
  }
  return base::did_you_mean(typed, known, "for example: muster export kubernetes job.yml --as job");
}

Result<void> check_engine(const JobDraft& draft, const std::string& engine) {
  std::vector<std::string> known = {"kubernetes", "crontab"};
  for (const batch::System* one : batch::systems()) known.emplace_back(one->kind);
  if (std::ranges::find(known, engine) == known.end()) {
    return fail(Fault::usage, engine_meant(engine, known), "muster cannot export jobs for {}",
                spec::in_quotes(engine));
  }
  if (engine == "kubernetes") return {};
  const std::pair<bool, const char*> typed[] = {{!draft.as.empty(), "--as"},
                                                {!draft.mpi.empty(), "--mpi"},
                                                {!draft.runtime.empty(), "--runtime"},
                                                {draft.suspended, "--suspend"},
                                                {draft.json, "--json"}};
  for (const auto& [is_typed, option] : typed) {
    if (!is_typed) continue;
    return fail(Fault::usage, "leave it out", "{} is for kubernetes, not for {}", option, engine);
  }
  return {};
}

}  // namespace

Result<Reading> read_export_request(const Call& call, const JobDraft& draft,
                                    const std::string& engine, const std::string& file) {
  if (auto fine = check_engine(draft, engine); !fine) return tl::unexpected(fine.error());
  auto text = call.read_file(file, job::kFileMax);
  if (!text) return tl::unexpected(std::move(text.error()));
  if (job::is_schedule(*text)) return export_schedule(call, draft, engine, file, *text);
  if (engine == "crontab") {
    return fail(Fault::usage, "a schedule has the keys trigger and create_job",
                "{} is not a schedule", spec::in_quotes(file));
  }
  return export_file(call, draft, engine, {file, std::move(*text)});
}

Result<Reading> export_file(const Call& call, const JobDraft& draft, const std::string& engine,
                            FileToExport job) {
  const std::string& file = job.file;
  job::JobReading read =
      job::is_pipeline(job.text) ? job::JobReading{} : job::read_job(job.text, file);
  if (auto fine = check_kind(read.job, job.text); !fine) return tl::unexpected(fine.error());
  if (!read.complaints.empty()) return Reading{.complaints = std::move(read.complaints)};
  if (job.target) read.job.target = job.target;
  const std::string folder = folder_of(absolute(call, file));
  const auto known = known_targets(call, folder);
  KnownNames names(call, draft, folder, known);
  job::Complaints own(file);
  take_environment_files(call, draft, folder, names, read.job, own);
  if (!own.empty()) return Reading{.complaints = std::move(own).take()};
  if (!known) return tl::unexpected(known.error());
  if (!known->complaints.empty()) return Reading{.complaints = known->complaints};
  if (engine != "kubernetes")
    return export_batch(call, draft, engine, {file, read, known->targets});
  auto target = cluster_target(draft, read.job, known->targets);
  if (!target) return tl::unexpected(std::move(target.error()));
  if (auto fine = take_typed(draft, *target->kubernetes); !fine) {
    return tl::unexpected(fine.error());
  }
  return export_of(call, draft,
                   {std::move(read.job), file, std::move(job.text), std::move(*target),
                    known->targets.instance_types, std::move(job.cron), names.find_data(), &names})
      .map([&](Reading reading) {
        reading.notices.insert(reading.notices.begin(), read.notices.begin(), read.notices.end());
        return reading;
      });
}

Result<kubernetes::Manifest> operated_manifest(const Call& call, const JobDraft& draft,
                                               const OperatedSource& operated,
                                               job::Complaints& complaints) {
  ExportSource source{operated.job,
                      operated.file,
                      operated.text,
                      operated.place.target,
                      operated.place.instance_types,
                      {},
                      operated.find};
  if (source.job.parallel) {
    return fail(Fault::usage, "a target without operator: runs it",
                "a parallel job cannot be carried out by an operator");
  }
  for (const std::string& name : draft.secrets) source.job.secrets.push_back({name, {}, {}, true});
  if (!draft.image.empty()) use_image(draft.image, source.job);
  check_what_goes(source.job, source.target, complaints);
  return manifest_of(call, draft, source, operated.name, complaints);
}

}  // namespace muster::front
