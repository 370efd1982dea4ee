// From a job file to a request: file, target, values, spec.
#include "front/job/request.hpp"

#include <algorithm>
#include <set>

#include "base/byte_size.hpp"
#include "base/words.hpp"
#include "front/call.hpp"
#include "front/container_options.hpp"
#include "front/environment_options.hpp"
#include "front/inherited.hpp"
#include "front/inner_request.hpp"
#include "front/job/batch.hpp"
#include "front/job/cluster.hpp"
#include "front/job/environment_files.hpp"
#include "front/job/export.hpp"
#include "front/job/known_names.hpp"
#include "front/job/metrics.hpp"
#include "front/job/packages.hpp"
#include "front/job/pipeline.hpp"
#include "front/job/place.hpp"
#include "front/job/python_path.hpp"
#include "front/job/run_folder.hpp"
#include "front/job/script.hpp"
#include "front/job/unset.hpp"
#include "front/reach_options.hpp"
#include "job/container_of.hpp"
#include "job/input_type.hpp"
#include "job/job_spec.hpp"
#include "job/output_names.hpp"
#include "job/read_job.hpp"
#include "job/read_pipeline.hpp"
#include "job/yaml.hpp"
#include "model/environment_rule.hpp"
#include "spec/check.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::Fault;
using base::Result;

Result<void> check_combinations(const JobDraft& draft) {
  if (draft.detach && draft.output.tag) {
    return base::fail(Fault::usage, "muster logs prefixes each line with its rank",
                      "--tag has no effect with --detach");
  }
  const int places = int(draft.hosts.list.has_value()) + int(!draft.hosts.file.empty()) +
                     int(draft.fake_nodes > 0) + int(!draft.target.empty());
  if (places <= 1) return {};
  return base::fail(Fault::usage, "keep one of them",
                    "-H, --hostfile, --fake-nodes and --target cannot be combined");
}

// A host's slots in all its entries; on hosts that may be crowded, all that the job wants there.
std::uint32_t slots_of(const model::JobSpec& spec, const std::string& name, std::uint32_t wanted) {
  if (spec.oversubscribe) return wanted;
  std::uint32_t slots = 0;
  for (const model::HostEntry& host : spec.hosts) {
    if (host.name == name) slots += host.slots.value_or(wanted);
  }
  return slots;
}

// "host slots=N" lines, which every launcher reads: one for each host.
std::string hostfile_text(const model::JobSpec& spec, const job::Layout& layout) {
  std::string text;
  const std::uint32_t nodes = spec.hosts.empty() ? layout.nodes : 0;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const std::string name = spec.fake_nodes > 0 ? fmt::format("fake-{}", i) : "localhost";
    text += fmt::format("{} slots={}\n", name, layout.slots);
  }
  std::set<std::string_view> told;
  for (const model::HostEntry& host : spec.hosts) {
    if (!told.insert(host.name).second) continue;
    text += fmt::format("{} slots={}\n", host.name, slots_of(spec, host.name, layout.slots));
  }
  return text;
}

// How launchers in the command reach hosts that are none.
void tell_reach(model::JobSpec& spec) {
  if (spec.fake_nodes == 0) return;
  for (model::App& app : spec.apps) app.exports.push_back({std::string(kFakeHosts), "1"});
}

// The command itself runs here, once; the nodes are its launcher's.
void hand_over(model::JobSpec& spec, const job::Layout& layout) {
  spec.hostfile = hostfile_text(spec, layout);
  if (!spec.folders.empty()) {
    const std::string folders = fmt::format("{}", fmt::join(spec.folders, "\n"));
    spec.apps.front().exports.push_back({std::string(kOutputFolders), folders});
  }
  spec.apps.front().exports.push_back({std::string(spec::kStartsRanks), "1"});
  spec.hosts.clear();
  spec.source = {.carrier = spec.source.carrier};
  spec.source_name.clear();
  spec.fake_nodes = 0;
}

std::string text_of(const std::optional<job::Text>& text) { return text ? text->text : ""; }

job::Bases bases_of(const Call& call, const std::string& job_folder) {
  const std::string& record = call.record_folder;
  return {job_folder,
          call.current_folder,
          (record.empty() ? call.current_folder : record) + "/outputs",
          record.empty() ? "" : record + "/inputs",
          {},
          home_of(call),
          run_of(call)};
}

// What the step declares is a folder like others then.
void check_run_folder(const job::JobFile& job, const job::Bases& bases,
                      job::Complaints& complaints) {
  const auto taken = std::ranges::find_if(job.outputs, &job::Output::is_undeclared);
  if (taken == job.outputs.end() || !bases.runs_in.empty()) return;
  complaints.add(taken->mark,
                 fmt::format("another step takes outputs.{} of this one, the folder in which it "
                             "runs, and --no-snapshot leaves it no copy of its code to run in",
                             taken->name),
                 "leave out --no-snapshot, or have it write to an output that it declares");
}

void place_outputs(job::JobFile& job, const job::Bases& bases, job::Complaints& complaints) {
  for (job::Output& output : job.outputs) {
    if (!output.path) continue;
    output.path = job::led_output(std::move(*output.path), {bases.run}, bases.find, complaints);
  }
}

void tell_outputs(const job::JobFile& job, const job::Bases& bases, Reading& reading) {
  if (std::ranges::all_of(job.outputs, job::says_path)) return;
  reading.notices.push_back(
      fmt::format("no record is kept, since neither MUSTER_RECORDS nor HOME is set: outputs "
                  "without a path lie in {}",
                  bases.outputs));
}

// Those of the command line win.
std::vector<model::Tag> tags_of(const JobDraft& draft, const job::JobFile& job) {
  std::vector<model::Tag> tags = draft.tags;
  for (const job::Named& one : job.tags) {
    const bool is_said = std::ranges::count(tags, one.name, &model::Tag::name) > 0;
    if (!is_said) tags.push_back({one.name, one.value.text});
  }
  return tags;
}

Recording recording_of(const Call& call, const JobDraft& draft, const job::JobFile& job,
                       const job::Values& values) {
  Recording record;
  record.name = text_of(job.name ? job.name : job.title);
  record.title = text_of(job.title);
  record.experiment = text_of(job.experiment);
  record.tags = tags_of(draft, job);
  if (!draft.experiment.empty()) record.experiment = draft.experiment;
  for (const job::Output& output : job.outputs) {
    const std::string& path = values.outputs.find(output.name)->second;
    record.outputs.push_back({output.name, path, job::is_file(output), output.overwrite});
  }
  record.overwrites = draft.force;
  if (!draft.output.logs.empty()) record.streams = absolute(call, draft.output.logs);
  return record;
}

void check_code_folder(const Call& call, const job::JobFile& job, const std::string& folder,
                       job::Complaints& complaints) {
  if (!job.code || !call.is_file || !call.is_file(job::below(folder, job.code->text))) return;
  complaints.add(
      job.code->begin,
      fmt::format("code must be a folder, and {} is a file", spec::in_quotes(job.code->text)),
      "name the folder that it lies in");
}

void check_code_is_there(const Call& call, const job::JobFile& job, const std::string& folder,
                         job::Complaints& complaints) {
  if (!lacks_code(call, job, folder)) return;
  complaints.add(
      job.code->begin,
      fmt::format("the folder of the code is not there: {}", spec::in_quotes(job.code->text)),
      "it is looked for from the folder of the job file; where only other hosts have it, "
      "name them: -H of muster submit, or a target with hosts");
}

// Nothing: the command runs in the folder itself.
std::optional<CodeFolder> code_of(const JobDraft& draft, const job::JobFile& job,
                                  const std::string& folder, job::Complaints& complaints) {
  std::optional<CodeFolder> code;
  if (!runs_in_copy(draft, job)) return code;
  code.emplace().folder = job::below(folder, job.code->text);
  code->has_run_folders = job.dialect != job::Dialect::native;
  if (job.snapshot_limit) {
    const auto limit = base::parse_byte_size(job.snapshot_limit->text);
    if (!limit) {
      complaints.add(job.snapshot_limit->begin,
                     fmt::format("snapshot_limit must be a size, not {}",
                                 spec::in_quotes(job.snapshot_limit->text)),
                     "for example: snapshot_limit: 2GB");
    }
    code->limit = limit.value_or(kSnapshotLimit);
  }
  if (draft.snapshot_limit) code->limit = *draft.snapshot_limit;
  return code;
}

bool sets(const job::JobFile& job, const std::string& name) {
  const auto has = [&](const auto* variables) {
    return std::ranges::find(*variables, name, &job::Named::name) != variables->end();
  };
  return has(&job.variables) || has(&job.workers.variables) || has(&job.servers.variables);
}

// Variables of the launching shell: their names are all that is written down.
std::vector<std::string> secrets_of(const Call& call, const JobDraft& draft,
                                    const job::JobFile& job, job::Complaints& complaints) {
  std::vector<job::Text> wanted = job.secrets;
  for (const std::string& name : draft.secrets) wanted.push_back({name, {}, {}, true});
  std::vector<std::string> names;
  for (const job::Text& name : wanted) {
    names.push_back(name.text);
    if (sets(job, name.text)) {
      complaints.add(name.begin,
                     fmt::format("{} is a secret, and has a value in the file as well",
                                 spec::in_quotes(name.text)),
                     "take it out of environment_variables: the value comes from this shell");
    }
    if (variable(call, name.text)) continue;
    complaints.add(name.begin,
                   fmt::format("the secret {} is not set here", spec::in_quotes(name.text)),
                   fmt::format("export {}=...", name.text));
  }
  return names;
}

// Where the processes find it, too.
constexpr std::string_view kCheckpointFolder = "MUSTER_CHECKPOINTS";

std::optional<Checkpoints> checkpoints_of(const Call& call, const job::JobFile& job,
                                          const std::string& folder, job::Complaints& complaints) {
  const std::string text = text_of(job.checkpoints);
  if (text.empty() || text == "false") return std::nullopt;
  if (text != "true") return Checkpoints{job::below(folder, text)};
  if (!call.record_folder.empty()) return Checkpoints{call.record_folder + "/checkpoints"};
  complaints.add(job.checkpoints->begin, "there is no record in which checkpoints could lie",
                 "set MUSTER_RECORDS, or HOME, or name a folder");
  return std::nullopt;
}

// On every host.
void add_folder(const Checkpoints& checkpoints, model::JobSpec& spec) {
  spec.folders.push_back(checkpoints.folder);
  for (model::App& app : spec.apps) {
    app.exports.push_back({std::string(kCheckpointFolder), checkpoints.folder});
  }
}

// What is fetched lies in the record.
void check_fetched(const Call& call, const job::JobFile& job, const job::Values& values,
                   job::Complaints& complaints) {
  if (!call.record_folder.empty()) return;
  for (const job::Input& input : job.inputs) {
    const auto value = values.inputs.find(input.name);
    const bool is_path = job::type_of(input, job.dialect) == job::InputType::path;
    if (!is_path || value == values.inputs.end() || !value->second) continue;
    if (!job::is_fetched(*value->second)) continue;
    complaints.add(input.mark,
                   fmt::format("there is no record in which {} could lie", *value->second),
                   "set MUSTER_RECORDS, or HOME");
  }
}

// Inputs that are files or folders.
std::vector<DataPath> data_of(const job::JobFile& job, const job::Values& values) {
  std::vector<DataPath> paths;
  for (const job::Download& one : values.downloads) {
    paths.push_back({one.path, one.from, one.sha256});
  }
  for (const job::Input& input : job.inputs) {
    const auto value = values.inputs.find(input.name);
    const bool is_path = job::type_of(input, job.dialect) == job::InputType::path;
    if (!is_path || value == values.inputs.end() || !value->second) continue;
    const bool known = std::ranges::find(values.downloads, *value->second, &job::Download::path) !=
                       values.downloads.end();
    if (!known && value->second->starts_with('/')) paths.push_back({*value->second});
  }
  return paths;
}

// Where processes find the same files as muster. A pipeline looks by itself: its steps may make
// some.
void check_inputs_are_there(const Call& call, const job::JobFile& job, const job::Values& values,
                            job::Complaints& complaints) {
  for (const DataPath& one : data_of(job, values)) {
    const bool is_made = std::ranges::any_of(values.outputs, [&](const auto& output) {
      return (one.path + "/").starts_with(output.second + "/");
    });
    if (!one.from.empty() || is_made || call.has_file(one.path)) continue;
    const auto named = std::ranges::find_if(job.inputs, [&](const job::Input& input) {
      const auto value = values.inputs.find(input.name);
      return value != values.inputs.end() && value->second == one.path;
    });
    const job::Mark place = named->value ? named->value->begin : named->mark;
    complaints.add(place, fmt::format("the input {} is not there: {}", named->name, one.path),
                   "paths are relative to the file that names them");
  }
}

std::optional<ImageBuild> build_of(const job::JobFile& job, const model::JobSpec& spec,
                                   const std::string& folder) {
  if (!job.build || !spec.container || spec.container->image != job::kBuiltImage) return {};
  ImageBuild build{job::below(folder, job.build->text)};
  if (job.dockerfile) build.dockerfile = job.dockerfile->text;
  return build;
}

// What was typed wins over the file.
void add_typed_rule(const model::EnvironmentRule& typed, model::EnvironmentRule& rule) {
  rule.unset.insert(rule.unset.end(), typed.unset.begin(), typed.unset.end());
  if (typed.silent) rule.silent = typed.silent;
}

// By muster.yml, then by what was typed. Returns what was said; all of it has been read before.
SaidReach set_reach(const JobDraft& draft, const job::Target& target, model::JobSpec& spec) {
  SaidReach said = {kWorkdir};  // the job file says where
  const auto set = [&](const ReachSetting& setting, const std::string& value) {
    if (setting.set({setting.text.names, value}, spec)) said.push_back(setting.text.names);
  };
  for (const job::Named& one : target.reach) {
    set(*std::ranges::find(kReachSettings, one.name, &ReachSetting::key), one.value.text);
  }
  for (const TypedReach& one : draft.reach) set(*one.setting, one.value);
  return said;
}

void pass_on(const std::vector<std::string>& secrets, model::JobSpec& spec) {
  for (model::App& app : spec.apps) {
    for (const std::string& name : secrets) app.exports.push_back({name, std::nullopt});
  }
}

// Where MLflow writes, unless the user says so. On hosts that do not see the record its files would
// stay if nothing else came home: a login for each host is too much for what few jobs have. Returns
// whether the record will hold any.
bool log_to_record(const Call& call, const job::JobFile& job, model::JobSpec& spec) {
  const bool comes_home = job.code || !job.outputs.empty() || spec.hosts.empty();
  const bool is_silent = model::is_silent(spec.environment, "MLflow");
  if (call.record_folder.empty() || !comes_home || is_silent) return false;
  if (variable(call, kTrackingUri) || !keep_metrics(call.record_folder, spec)) return false;
  // It is this machine's own that is made by itself, as a whole.
  if (!spec.hosts.empty()) spec.folders.push_back(call.record_folder);
  return true;
}

// A job that a batch system, or a cluster, carries out as a whole.
struct WholeJob {
  const std::string& file;
  const std::string& text;
  const job::JobFile& job;
  const job::Place& place;
};

Result<Reading> handed_over(const Call& call, const JobDraft& typed, const WholeJob& whole,
                            KnownNames& names, Reading reading) {
  const job::Target& target = whole.place.target;
  job::Complaints complaints(whole.file);
  if (target.batch && !call.is_queued_run) {
    check_one_run(target, complaints);
    reading.batch = batch_request(call, typed, whole.file, whole.place, {&whole.job}, complaints);
    reading.complaints = std::move(complaints).take();
  }
  if (!target.kubernetes) return reading;
  JobDraft draft = typed;
  draft.leads = names.found();
  reading.cluster =
      cluster_request(call, draft, whole.file, whole.place, {{"", &whole.job}}, complaints);
  if (complaints.empty() && target.kubernetes->operator_kind) {
    const OperatedSource source{
        whole.job,        whole.file, whole.text, whole.place, reading.cluster->run.name,
        names.find_data()};
    auto manifest = operated_manifest(call, draft, source, complaints);
    if (!manifest) return tl::unexpected(std::move(manifest.error()));
    reading.cluster->operated = std::move(manifest->objects);
    for (std::string& line : manifest->notices) reading.notices.push_back(std::move(line));
  }
  reading.complaints = std::move(complaints).take();
  return reading;
}

bool is_on_this_machine(const job::Place& place) {
  return place.found.hosts.empty() && !place.target.kubernetes && !place.target.batch;
}

// Of a launcher in its command.
void tell_mistake(const Call& call, const job::JobFile& job, const InnerReading& inner,
                  job::Complaints& complaints) {
  if (!inner.mistake) return;
  const job::Mark place =
      place_in_command(call, job, inner.mistaken, inner.before, complaints.sources());
  complaints.add(place, inner.mistake->what, inner.mistake->hint);
}

// Hosts may have more slots than a job that leaves their number open. Of a job that is to run, its
// launcher tells that it has too few.
CountsKnown counts_known(const JobDraft& draft, const JobSource& source, const job::Place& place,
                         const job::Layout& layout) {
  const auto says = [](const model::HostEntry& host) { return host.slots.has_value(); };
  const auto& hosts = place.found.hosts;
  const bool hosts_say = !hosts.empty() && std::ranges::all_of(hosts, says);
  const bool are_final = !source.has_open_counts;
  const bool is_said = !layout.guesses_slots || hosts_say || place.target.slots;
  const bool is_told = source.is_rehearsed || draft.explains || draft.dry_run || draft.validates;
  const bool is_here = is_on_this_machine(place) && !source.is_rehearsed;
  return {are_final, are_final && is_said && is_told, are_final && is_told,
          are_final && is_told && is_here};
}

// Where nothing starts. Of a job that is rehearsed nothing else is told: that would be about the
// hosts that stand in for its own.
void tell_launchers(const JobDraft& draft, const JobSource& source,
                    const std::vector<Unforeseen>& found, std::vector<std::string>& notices) {
  if (source.is_rehearsed) notices.clear();
  const bool is_told = source.is_rehearsed || draft.explains || draft.dry_run || draft.validates;
  std::string told = is_told ? told_unforeseen(found) : "";
  if (!told.empty()) notices.push_back(std::move(told));
}

// Hosts may have a code of their own, unless they get a copy of this one, and so may the images of
// a cluster.
ScriptFolder script_folder(const JobSource& source, const job::Place& place, bool copies_code) {
  const bool is_here = is_on_this_machine(place);
  return {source.folder, !source.comes_later && is_here,
          is_here || (copies_code && !has_own_code(place.target))};
}

// The command, and what it and the files that it names need.
void check_what_starts(const Call& call, const JobSource& source, const job::Values& values,
                       const model::JobSpec& spec, const ScriptFolder& where,
                       const InnerReading& inner, job::Complaints& complaints) {
  tell_mistake(call, source.job, inner, complaints);
  check_script(call, source.job, spec, where, complaints);
  const bool looks =
      call.is_file && where.is_seen && !source.is_rehearsed && source.sources.empty();
  if (looks && !spec.container) check_inputs_are_there(call, source.job, values, complaints);
}

// Hosts may have the code where this machine has none; who carries out a whole job gets it from
// here.
void check_files(const Call& call, const JobSource& source, const job::Place& place,
                 const job::Values& values, job::Complaints& complaints) {
  check_fetched(call, source.job, values, complaints);
  check_code_folder(call, source.job, source.folder, complaints);
  const job::Target& target = place.target;
  const bool is_queued = target.batch && !call.is_queued_run;
  const bool is_handed_over = is_queued || (target.kubernetes && !has_own_code(target));
  if (source.comes_later || !(is_on_this_machine(place) || is_handed_over)) return;
  check_code_is_there(call, source.job, source.folder, complaints);
}

// Who plans a job by itself, or starts it, tells of it then.
void tell_run_folder(const Call& call, const JobDraft& draft, const JobSource& source,
                     const job::Place& place, Reading& reading) {
  const bool is_shown_step = !source.sources.empty() && (draft.dry_run || draft.explains);
  const bool may_be_made = source.comes_later;  // by a step that runs here before
  if (may_be_made || is_on_this_machine(place) || !(draft.validates || is_shown_step)) return;
  std::string told = told_empty_run_folder(call, draft, source.job, source.folder);
  if (!told.empty()) reading.notices.push_back(std::move(told));
}

// Of the environment, the output and how much muster says.
void set_what_is_typed(const JobDraft& draft, model::JobSpec& spec) {
  add_typed_rule(draft.environment, spec.environment);
  spec.output = muster_output(draft.output);
  if (draft.output.unbuffered) spec.terminal.emplace();
  spec.verbose = draft.verbose;
}

std::vector<std::string> files_of(const JobSource& source) {
  return source.sources.empty() ? std::vector{source.job.source} : source.sources;
}

// What the command will start, as far as that can be known.
std::vector<base::Error> foresee(const Call& call, const JobDraft& draft, const JobSource& source,
                                 const job::Place& place, const job::Values& values,
                                 const job::Made& made, const ScriptFolder& where,
                                 Reading& reading) {
  InnerReading inner =
      inner_request(call, made.spec, counts_known(draft, source, place, made.layout));
  ScriptLaunchers in_scripts =
      launchers_in_scripts(call, source.job, made.spec, where, files_of(source));
  std::ranges::move(in_scripts.unforeseen, std::back_inserter(inner.unforeseen));
  tell_launchers(draft, source, inner.unforeseen, reading.notices);
  job::Complaints complaints(files_of(source));
  check_what_starts(call, source, values, made.spec, where, inner, complaints);
  if (in_scripts.mistake) complaints.add({*std::move(in_scripts.mistake)});
  reading.request->inner = std::move(inner.request);
  return std::move(complaints).take();
}

}  // namespace

Reading job_request(const Call& call, const JobDraft& draft, JobSource source,
                    const job::Place& place) {
  Reading reading;
  job::JobFile& job = source.job;
  const auto files = files_of(source);
  job::Complaints complaints(files);
  job::resize(job, draft.counts, complaints);
  job::Bases bases = bases_of(call, source.folder);
  bases.find = std::move(source.find);
  bases.runs_in = runs_in(draft, job, call.record_folder);
  check_run_folder(job, bases, complaints);
  place_outputs(job, bases, complaints);
  const job::Values values = job::values_of(job, draft.settings, bases, complaints);
  job::Made made = job::make_spec(job, values, place, source.folder, complaints);
  if (auto fine = add_typed(call, draft.container, made.spec.container); !fine) {
    complaints.add({}, fine.error().what, fine.error().hint);
  }
  check_files(call, source, place, values, complaints);
  auto code = code_of(draft, job, source.folder, complaints);
  std::string packages = packages_of(call, job, place.target, source.folder, complaints);
  auto secrets = secrets_of(call, draft, job, complaints);
  auto checkpoints = checkpoints_of(call, job, source.folder, complaints);
  reading.notices = std::move(source.notices);
  reading.notices.insert(reading.notices.end(), made.notices.begin(), made.notices.end());
  if (call.record_folder.empty()) tell_outputs(job, bases, reading);
  tell_run_folder(call, draft, source, place, reading);
  reading.complaints = std::move(complaints).take();
  if (!reading.complaints.empty()) return reading;
  RunRequest& request = reading.request.emplace();
  tell_reach(made.spec);
  pass_on(secrets, made.spec);
  set_what_is_typed(draft, made.spec);
  auto python = add_python_path(call, draft.python_path, code.has_value(), made.spec);
  made.spec.folders = std::move(made.folders);
  if (checkpoints) add_folder(*checkpoints, made.spec);
  const bool has_metrics = log_to_record(call, job, made.spec);
  tell_unset(call, job, made.spec, place.target, files, reading.notices);
  if (made.layout.launches) hand_over(made.spec, made.layout);
  request.said_reach = set_reach(draft, place.target, made.spec);
  const ScriptFolder where = script_folder(source, place, code.has_value());
  auto of_command = foresee(call, draft, source, place, values, made, where, reading);
  if (!of_command.empty()) return Reading{.complaints = std::move(of_command)};
  request.spec = std::move(made.spec);
  request.spec.launchers = names_of_launchers();
  request.code = std::move(code);
  request.packages = std::move(packages);
  request.build = build_of(job, request.spec, source.folder);
  request.secrets = std::move(secrets);
  request.data = data_of(job, values);
  if (python) request.data.push_back(std::move(*python));
  request.checkpoints = std::move(checkpoints);
  request.keeps = Keeps::always;
  request.record = recording_of(call, draft, job, values);
  request.record->metrics = has_metrics;
  request.detach = draft.detach;
  request.json = draft.json;
  return reading;
}

Result<Reading> read_job_request(const Call& call, const JobDraft& typed, const std::string& file) {
  JobDraft draft = typed;
  for (const ReachWish& one : call.reach_wishes) {
    draft.reach.push_back({&reach_setting(one.option), one.value});
  }
  if (auto fine = check_combinations(draft); !fine) return tl::unexpected(fine.error());
  auto text = call.read_file(file, job::kFileMax);
  if (!text) return tl::unexpected(std::move(text.error()));
  if (job::is_pipeline(*text)) return read_pipeline_request(call, draft, file, *text);
  job::JobReading read = job::read_job(*text, file);
  if (!read.complaints.empty()) return Reading{.complaints = std::move(read.complaints)};
  const std::string folder = folder_of(absolute(call, file));
  const auto known = known_targets(call, folder);
  KnownNames names(call, draft, folder, known);
  job::Complaints own(file);
  take_environment_files(call, draft, folder, names, read.job, own);
  if (!own.empty()) return Reading{.complaints = std::move(own).take()};
  if (!known) return tl::unexpected(known.error());
  if (!known->complaints.empty()) return Reading{.complaints = known->complaints};
  const std::uint32_t nodes =
      draft.counts.nodes.value_or(job::layout_of(read.job, known->targets.instance_types).nodes);
  const auto place = place_of(call, draft, {read.job.target, file}, known->targets, nodes);
  if (!place) return tl::unexpected(place.error());
  JobSource source{read.job, folder, std::move(read.notices), {}, names.find_data()};
  Reading reading = job_request(call, draft, std::move(source), *place);
  names.tell(reading.notices);
  if (!reading.complaints.empty()) return reading;
  if (reading.request) reading.request->beside = folder;
  if (reading.request && reading.request->record) reading.request->record->names = names.led();
  return handed_over(call, draft, {file, *text, read.job, *place}, names, std::move(reading));
}

}  // namespace muster::front
