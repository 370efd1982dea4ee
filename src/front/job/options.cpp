// Tables of options: where a job runs, its inputs, what is shown.
#include "front/job/options.hpp"

#include <algorithm>

#include "base/byte_size.hpp"
#include "base/nearest.hpp"
#include "base/words.hpp"
#include "front/container_options.hpp"
#include "front/environment_options.hpp"
#include "front/job/known_names.hpp"
#include "front/reach_options.hpp"
#include "front/table.hpp"
#include "front/voice.hpp"
#include "kubernetes/export.hpp"
#include "option/reader.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::Result;
using Row = Option<JobDraft>;

// A name with '=' in it can only stand in muster.yml.
void add_lead(JobDraft& draft, job::Asset kind, std::string name, const std::string& to) {
  std::vector<job::Lead>& leads = job::leads_of(draft.leads, kind);
  job::Text text{typed_lead(kind, draft.current_folder, to), {}, {}, true};
  leads.push_back({std::move(name), {}, std::move(text), {}});
}

// Whether the key is of one of the kinds of names that a cloud has.
bool sets_lead(JobDraft& draft, std::string_view key, const std::string& value) {
  for (const job::Asset kind : {job::Asset::component, job::Asset::data, job::Asset::environment}) {
    const std::string head = std::string(job::key_of(kind)) + ".";
    if (!key.starts_with(head) || key.size() == head.size() || value.empty()) continue;
    add_lead(draft, kind, std::string(key.substr(head.size())), value);
    return true;
  }
  return false;
}

// What stands before the first '.' says what is set; of nothing there is a name.
Result<void> check_set_key(const std::string& key, const std::string& value) {
  const std::vector<std::string> known = {"inputs",     "tags",         "data",
                                          "components", "environments", "jobs"};
  const std::size_t dot = key.find('.');
  const std::string head = key.substr(0, dot);
  const bool is_known = std::ranges::find(known, head) != known.end();
  if (!is_known) {
    const auto near = base::nearest(head, known);
    const bool is_name = dot == std::string::npos && !near;
    return base::fail(base::Fault::usage,
                      near ? fmt::format("did you mean {}.{}?", *near,
                                         dot == std::string::npos ? "NAME" : key.substr(dot + 1))
                      : is_name && !key.empty()
                          ? fmt::format("for an input: --set inputs.{}={}", key, value)
                          : "for example: --set inputs.lr=0.1",
                      "--set takes inputs.NAME, tags.NAME, data.NAME, components.NAME, "
                      "environments.NAME or jobs.STEP.inputs.NAME, not {}",
                      spec::in_quotes(key));
  }
  if (dot != std::string::npos && dot + 1 < key.size()) return {};
  return base::fail(base::Fault::usage, fmt::format("for example: --set {}.NAME=VALUE", head),
                    "--set {}: the name is missing", spec::in_quotes(key));
}

Result<void> add_setting(JobDraft& draft, const Typed& typed) {
  constexpr std::string_view kTags = "tags.";
  const std::size_t equals = typed.value.find('=');
  if (equals == std::string_view::npos) {
    return base::fail(base::Fault::usage, "for example: --set inputs.lr=0.1",
                      "--set takes inputs.NAME=VALUE, tags.NAME=VALUE, data.NAME=PATH, "
                      "components.NAME=FILE or environments.NAME=IMAGE, not {}",
                      spec::in_quotes(typed.value));
  }
  std::string key(typed.value.substr(0, equals));
  std::string value(typed.value.substr(equals + 1));
  if (auto fine = check_set_key(key, value); !fine) return fine;
  const auto before = std::ranges::find(draft.typed_settings, key, &job::Setting::key);
  if (before != draft.typed_settings.end()) {
    if (before->value == value) return {};
    return option::contradiction(typed, {typed.option, key + "=" + before->value});
  }
  draft.typed_settings.push_back({key, value});
  if (key.starts_with(kTags)) {
    draft.tags.push_back({key.substr(kTags.size()), std::move(value)});
  } else if (!sets_lead(draft, key, value)) {
    draft.settings.push_back({std::move(key), std::move(value)});
  }
  return {};
}

Result<void> add_without(JobDraft& draft, const Typed& typed) {
  if (typed.value != "environment" && typed.value != "gpus") {
    return base::fail(base::Fault::usage, "", "--without takes environment or gpus, not {}",
                      spec::in_quotes(typed.value));
  }
  draft.without.emplace_back(typed.value);
  return {};
}

Result<void> set_snapshot_limit(JobDraft& draft, const Typed& typed) {
  draft.snapshot_limit = base::parse_byte_size(typed.value);
  if (draft.snapshot_limit) return {};
  return base::fail(base::Fault::usage, "for example: --snapshot-limit 2GB",
                    "--snapshot-limit takes a size, not {}", spec::in_quotes(typed.value));
}

constexpr std::string_view kJob = "The job";
constexpr std::string_view kHosts = "Hosts";
constexpr std::string_view kReach = "Connecting to hosts";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kSee = "Information";

constexpr Row kSet = {{"--set",
                       kJob,
                       Takes::text,
                       "KEY=VALUE",
                       "Give an input a value (inputs.NAME=VALUE), the run a tag "
                       "(tags.NAME=VALUE), or a name in Azure ML a meaning here (data.NAME=PATH, "
                       "components.NAME=FILE, environments.NAME=IMAGE). Repeatable, with one value "
                       "for each KEY.",
                       {.repeatable = true}},
                      add_setting};
constexpr Row kNodes = {
    {"--nodes", kJob, Takes::number, "N", "Use N nodes, overriding the job file."},
    [](JobDraft& d, const Typed& t) {
      return store(read_count(t, {1, model::kRanksMax}), d.counts.nodes);
    }};
constexpr Row kPerNode = {{"--per-node", kJob, Takes::number, "N",
                           "Run N processes on each node, overriding the job file."},
                          [](JobDraft& d, const Typed& t) {
                            return store(read_count(t, {1, model::kRanksMax}), d.counts.per_node);
                          }};
constexpr Row kTarget = {
    {"--target", kHosts, Takes::text, "NAME",
     "Run on this target of muster.yml (default: what the job file says); allocation: on the hosts "
     "of the job around."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.target); }};
constexpr Row kCheckedTarget = {
    {"--target", kHosts, Takes::text, "NAME",
     "Check the job for this target of muster.yml, too; a cluster or batch system is asked whether "
     "it would take it."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.target); }};
constexpr Row kList = {
    {"-H --host",
     kHosts,
     Takes::hosts,
     "LIST",
     "Run on these hosts: node1:8,user@node2:8,gpu[1-4]:8. Repeatable; lists are joined.",
     {.repeatable = true}},
    join_hosts<JobDraft>};
constexpr Row kHostfile = {
    {"--hostfile", kHosts, Takes::file, "FILE", "Run on the hosts of a file."},
    take_hostfile<JobDraft>};
constexpr Row kFakeNodes = {
    {"--fake-nodes", kHosts, Takes::number, "N", "Simulate up to N nodes on this machine."},
    [](JobDraft& d, const Typed& t) {
      return store(read_count(t, {1, spec::kFakeNodesMax}), d.fake_nodes);
    }};
constexpr Row kWithout = {{"--without",
                           kHosts,
                           Takes::choice,
                           "environment|gpus",
                           "Run although the target does not provide this. Repeatable.",
                           {.choices = "environment gpus", .repeatable = true}},
                          add_without};
// What the target says of hosts is known later, and yields to what is typed.
template <Reach Which>
Result<void> keep_reach(JobDraft& draft, const Typed& typed) {
  draft.reach.push_back({&reach_setting(Which), std::string(typed.value)});
  model::JobSpec tried;
  return reach_setting(Which).set(typed, tried);
}
template <Reach Which>
constexpr Row reach_row_of_job() {
  OptionText text = reach_setting(Which).text;
  text.group = kReach;
  return {text, keep_reach<Which>};
}
constexpr Row kSshCommandTyped = reach_row_of_job<Reach::ssh_command>();
constexpr Row kSshPort = reach_row_of_job<Reach::ssh_port>();
constexpr Row kSshIdentity = reach_row_of_job<Reach::ssh_identity>();
constexpr Row kAgentPath = reach_row_of_job<Reach::agent_path>();
constexpr Row kStartTimeout = {{"--start-timeout", kReach, Takes::number, "SECONDS",
                                "Time limit for one attempt to connect to a host (default: 15), "
                                "or, in a cluster, for all pods "
                                "to run (default: 600)."},
                               keep_reach<Reach::patience>};
constexpr Row kMaxOpen = reach_row_of_job<Reach::most_open>();
constexpr Row kLease = reach_row_of_job<Reach::lease>();
constexpr Row kImage = {kImageText,
                        [](JobDraft& d, const Typed& t) { return set_image(t, d.image); }};
constexpr Row kRuntime = {kRuntimeText,
                          [](JobDraft& d, const Typed& t) { return set_runtime(t, d.container); }};
constexpr Row kContainerOption = {kContainerOptionText, [](JobDraft& d, const Typed& t) {
                                    return add_container_option(t, d.container);
                                  }};
constexpr Row kMount = {kMountText, [](JobDraft& d, const Typed& t) {
                          return add_mount(t, d.current_folder, d.container);
                        }};
constexpr Row kSharedMemory = {kSharedMemoryText, [](JobDraft& d, const Typed& t) {
                                 return set_shared_memory(t, d.container);
                               }};
constexpr Row kDevice = {kDeviceText,
                         [](JobDraft& d, const Typed& t) { return add_device(t, d.container); }};
constexpr Row kImageFromHere = {
    kImageFromHereText, [](JobDraft& d, const Typed&) { return raise(d.container.from_here); }};
constexpr Row kUnset = {unset_text(kJob),
                        [](JobDraft& d, const Typed& t) { return add_unset(t, d.environment); }};
constexpr Row kDialects = {dialects_text(kJob), [](JobDraft& d, const Typed& t) {
                             return choose_dialects(t, d.environment);
                           }};
constexpr Row kTag = {
    {"--tag", kOutput, Takes::nothing, "", "Prefix each line of output with its rank: [3]."},
    [](JobDraft& d, const Typed&) { return raise(d.output.tag); }};
constexpr Row kLogs = {
    {"--logs", kOutput, Takes::folder, "DIR",
     "Also write each rank's output to DIR/rank.N/stdout and stderr; with 16 ranks, N is 00 to "
     "15."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.output.logs); }};
constexpr Row kUnbuffered = {
    {"--unbuffered", kOutput, Takes::nothing, "",
     "Connect each rank's stdout to a pseudo-terminal, so that C programs do not buffer lines."},
    [](JobDraft& d, const Typed&) { return raise(d.output.unbuffered); }};
constexpr Row kVerbose = {{"-v --verbose", kSee, Takes::nothing, "",
                           "Print to stderr what muster does, and how long each phase takes."},
                          [](JobDraft& d, const Typed&) { return raise(d.verbose); }};
constexpr Row kJson = {{"--json", kSee, Takes::nothing, "", "Print the outcome as JSON."},
                       [](JobDraft& d, const Typed&) { return raise(d.json); }};
constexpr Row kAllRanks = {{"--all-ranks", kSee, Takes::nothing, "",
                            "Print the variables of each rank, not only those of rank 0."},
                           [](JobDraft& d, const Typed&) { return raise(d.all_ranks); }};
constexpr Row kDetach = {
    {"-d --detach", kJob, Takes::nothing, "",
     "Run in the background: return once all ranks run; the job survives logout. See muster logs."},
    [](JobDraft& d, const Typed&) { return raise(d.detach); }};
constexpr Row kDryRun = {
    {"--dry-run", kSee, Takes::nothing, "",
     "Start nothing: print which rank would run where, or the script for a batch system."},
    [](JobDraft& d, const Typed&) { return raise(d.dry_run); }};
constexpr Row kCheck = {
    {"--check", kSee, Takes::nothing, "",
     "Start nothing: ask the target, a cluster or a batch system, whether it would take the job."},
    [](JobDraft& d, const Typed&) { return raise(d.check); }};
constexpr Row kExperiment = {
    {"--experiment", kJob, Takes::text, "NAME",
     "The experiment that the run belongs to (default: what the job file says)."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.experiment); }};
constexpr Row kPythonPath = {
    {"--python-path", kJob, Takes::folder, "DIR",
     "Put DIR behind PYTHONPATH of the processes, except in containers (default: what stands in "
     "for Azure ML's SDK, if muster's Python package is installed with it)."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.python_path); }};
constexpr Row kAtOnce = {{"-j --jobs", kJob, Takes::number, "N",
                          "Pipelines: run at most N steps at the same time; on this machine as "
                          "many, whatever its cores."},
                         [](JobDraft& d, const Typed& t) {
                           return store(read_count(t, {1, model::kRanksMax}), d.at_once);
                         }};
constexpr Row kRetries = {{"--retries", kJob, Takes::number, "N",
                           "Pipelines: run a step that fails again, up to N times (default: 0)."},
                          [](JobDraft& d, const Typed& t) {
                            return store(read_count(t, {0, 1000}), d.retries);
                          }};
constexpr Row kSkip = {
    {"--skip",
     kJob,
     Takes::text,
     "STEP",
     "Pipelines: leave out this step and those that need its outputs. Repeatable.",
     {.repeatable = true}},
    [](JobDraft& d, const Typed& t) -> Result<void> {
      d.skipped.emplace_back(t.value);
      return {};
    }};
constexpr Row kSecret = {{"--secret",
                          kJob,
                          Takes::text,
                          "NAME",
                          "Pass on this variable of the shell; its value is not recorded. "
                          "Repeatable.",
                          {.repeatable = true}},
                         [](JobDraft& d, const Typed& t) -> Result<void> {
                           d.secrets.emplace_back(t.value);
                           return {};
                         }};
constexpr Row kNoSnapshot = {
    {"--no-snapshot", kJob, Takes::nothing, "",
     "Run in the folder code: itself, instead of a copy that stays as it is."},
    [](JobDraft& d, const Typed&) { return raise(d.no_snapshot); }};
constexpr Row kForce = {{"--force", kJob, Takes::nothing, "",
                         "Write where outputs have a path even if files that no run of muster has "
                         "written lie there."},
                        [](JobDraft& d, const Typed&) { return raise(d.force); }};
constexpr Row kCodeLimit = {
    {"--snapshot-limit", kJob, Takes::text, "SIZE",
     "The most that the folder code: may hold to be copied: 2GB (default: 300MB)."},
    set_snapshot_limit};
constexpr Row kRunJson = {
    {"--json", kSee, Takes::nothing, "", "With --detach: print the run's name and folder as JSON."},
    [](JobDraft& d, const Typed&) { return raise(d.json); }};
constexpr Row kColor = color_row<JobDraft>(kSee);
constexpr Row kQuiet = quiet_row<JobDraft>(kSee);
constexpr Row kVersion = version_row<JobDraft>(kSee);
constexpr Row kHelp = {{"-h --help", kSee, Takes::nothing, "", "Show this help.", {.ends = true}},
                       [](JobDraft& d, const Typed&) { return raise(d.help); }};

// The user's word is none of these; `known` has blanks between them.
base::Error not_one_of(const Typed& typed, std::string_view known) {
  const std::vector<std::string> words = base::split(known, " ");
  const auto but_the_last = std::span(words).first(words.size() - 1);
  return {base::Fault::usage,
          fmt::format("{} takes {} or {}, not {}", typed.option, fmt::join(but_the_last, ", "),
                      words.back(), spec::in_quotes(typed.value)),
          base::did_you_mean(typed.value, words),
          {}};
}

constexpr Row kAs = {
    {"--as",
     kJob,
     Takes::choice,
     "KIND",
     "job, jobset, mpijob, pytorchjob, tfjob or trainjob (default: what the target says, else "
     "job).",
     {.choices = kubernetes::kKinds}},
    [](JobDraft& d, const Typed& t) -> Result<void> {
      if (!kubernetes::as_of(t.value)) {
        return tl::unexpected(not_one_of(t, kubernetes::kKinds));
      }
      d.as = t.value;
      return {};
    }};
constexpr Row kMpi = {{"--mpi",
                       kJob,
                       Takes::choice,
                       "NAME",
                       "MPIJobs: the MPI of the image, OpenMPI, Intel or MPICH (default: what the "
                       "target, the command "
                       "or the image's name says).",
                       {.choices = job::kMpiNames}},
                      [](JobDraft& d, const Typed& t) -> Result<void> {
                        const std::vector<std::string> known = base::split(job::kMpiNames, " ");
                        if (std::ranges::count(known, t.value) == 0) {
                          return tl::unexpected(not_one_of(t, job::kMpiNames));
                        }
                        d.mpi = t.value;
                        return {};
                      }};
constexpr Row kRuntimeOfTraining = {
    {"--runtime", kJob, Takes::text, "NAME",
     "TrainJobs: the runtime, NAME or TrainingRuntime/NAME (default: what the target says, else "
     "torch-distributed)."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.runtime); }};
constexpr Row kSuspend = {{"--suspend", kJob, Takes::nothing, "",
                           "Write objects that do not begin until somebody resumes them."},
                          [](JobDraft& d, const Typed&) { return raise(d.suspended); }};
constexpr Row kObjectName = {
    {"--name", kJob, Takes::text, "NAME",
     "The name of the objects, or of the batch job (default: that of the job, or of its file)."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.name); }};
constexpr Row kOutputFile = {
    {"-o --output", kSee, Takes::file, "FILE", "Write to this file instead of stdout."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.output_file); }};
constexpr Row kTargetOfExport = {
    {"--target", kHosts, Takes::text, "NAME",
     "The target of muster.yml that it is written for (default: what the job file says)."},
    [](JobDraft& d, const Typed& t) { return store(read_text(t), d.target); }};
constexpr Row kManifestJson = {{"--json", kSee, Takes::nothing, "", "Print JSON instead of YAML."},
                               [](JobDraft& d, const Typed&) { return raise(d.json); }};

constexpr Row kSubmitRows[] = {kSet,           kExperiment,   kPythonPath,
                               kDetach,        kAtOnce,       kRetries,
                               kSkip,          kNodes,        kPerNode,
                               kSecret,        kUnset,        kDialects,
                               kNoSnapshot,    kCodeLimit,    kForce,
                               kTarget,        kList,         kHostfile,
                               kFakeNodes,     kWithout,      kSshCommandTyped,
                               kSshPort,       kSshIdentity,  kAgentPath,
                               kStartTimeout,  kMaxOpen,      kLease,
                               kImage,         kRuntime,      kContainerOption,
                               kMount,         kSharedMemory, kDevice,
                               kImageFromHere, kTag,          kLogs,
                               kUnbuffered,    kRunJson,      kDryRun,
                               kCheck,         kVerbose,      kColor,
                               kQuiet,         kVersion,      kHelp};
constexpr Row kExplainRows[] = {
    kSet,           kAtOnce,     kSkip,      kNodes,           kPerNode, kSecret,       kUnset,
    kDialects,      kNoSnapshot, kCodeLimit, kTarget,          kList,    kHostfile,     kFakeNodes,
    kWithout,       kImage,      kRuntime,   kContainerOption, kMount,   kSharedMemory, kDevice,
    kImageFromHere, kAllRanks,   kJson,      kColor,           kQuiet,   kVersion,      kHelp};
constexpr Row kValidateRows[] = {kSet, kCheckedTarget, kJson, kColor, kQuiet, kVersion, kHelp};
constexpr Row kSchemaRows[] = {kColor, kQuiet, kVersion, kHelp};
constexpr Row kExportRows[] = {kAs,           kSet,        kNodes,
                               kPerNode,      kMpi,        kRuntimeOfTraining,
                               kSuspend,      kObjectName, kTargetOfExport,
                               kManifestJson, kOutputFile, kColor,
                               kQuiet,        kVersion,    kHelp};

}  // namespace

std::optional<base::Duration> typed_start_timeout(const JobDraft& draft) {
  std::optional<base::Duration> limit;
  for (const TypedReach& one : draft.reach) {
    model::JobSpec spec;
    const bool is_limit = one.setting->set == set_patience && set_patience({"", one.value}, spec);
    if (is_limit) limit = spec.carrier.patience;
  }
  return limit;
}

std::span<const Row> submit_table() { return kSubmitRows; }
std::span<const Row> explain_table() { return kExplainRows; }
std::span<const Row> validate_table() { return kValidateRows; }
std::span<const Row> schema_table() { return kSchemaRows; }
std::span<const Row> export_table() { return kExportRows; }

}  // namespace muster::front
