// Walks the words of submit, explain, validate and schema.
#include "front/job/front.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/nearest.hpp"
#include "base/shell_word.hpp"
#include "base/words.hpp"
#include "batch/system.hpp"
#include "front/batch_request.hpp"
#include "front/job/export.hpp"
#include "front/job/known_names.hpp"
#include "front/job/options.hpp"
#include "front/job/pipeline.hpp"
#include "front/job/rehearsal.hpp"
#include "front/job/request.hpp"
#include "front/pipeline_request.hpp"
#include "front/targets.hpp"
#include "job/layout.hpp"
#include "job/read_job.hpp"
#include "job/read_pipeline.hpp"
#include "job/saved_values.hpp"
#include "job/schema.hpp"
#include "job/tables.hpp"
#include "job/yaml.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "spec/in_quotes.hpp"
#include "sweep/sampler.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

struct Command {
  Grammar grammar;
  std::span<const Option<JobDraft>> (*table)();
  std::string_view head;
};

// What launchers are told by options, and a job by its file.
std::string in_the_file(std::string_view name) {
  for (const char* count : {"-n", "-np", "--np", "-c"}) {
    if (name == count) {
      return "the job file says how many processes; --nodes and --per-node override it";
    }
  }
  if (name == kWorkdir) return "the command starts in the folder code: of the job file";
  for (const char* variable : {"-x", "-genv", "-env", "--export"}) {
    if (name == variable) return "write environment_variables: {NAME: VALUE} in the job file";
  }
  return {};
}

constexpr Command kSubmit = {{.command = "muster submit",
                              .glued = Glued::all,
                              .anywhere = true,
                              .dash_is_word = true,
                              .elsewhere = in_the_file},
                             submit_table,
                             R"(muster submit: run the job described by a job file.

Usage: muster submit [OPTIONS] FILE
FILE is a YAML job file, in muster's own format or one of Azure ML's (draft, component, command
job), or a pipeline: its steps run as their inputs are there and the hosts have room; or a sweep,
whose trials find the best values for a job. - is stdin.

Examples:
  muster submit job.yml
  muster submit job.yml --set inputs.lr=0.1 --target cluster
  muster submit job.yml --fake-nodes 4 --without environment
  muster submit job.yml --detach && muster logs -f last
  muster submit pipeline.yml -H node1:8,node2:8 --skip evaluate
)"};

constexpr Command kExplain = {{.command = "muster explain",
                               .glued = Glued::all,
                               .anywhere = true,
                               .dash_is_word = true,
                               .elsewhere = in_the_file},
                              explain_table,
                              R"(muster explain: show what a job would do, where and why.

Usage: muster explain [OPTIONS] FILE
       muster explain -- run|mpirun|... ARGS
Prints which rank would run where and with which environment variables; starts nothing.

Examples:
  muster explain job.yml --fake-nodes 4
  muster explain -- mpirun -np 4 -H node1:2,node2:2 ./prog
)"};

constexpr Command kValidate = {
    {.command = "muster validate", .glued = Glued::all, .anywhere = true, .dash_is_word = true},
    validate_table,
    R"(muster validate: check a job file and print all errors in it.

Usage: muster validate [OPTIONS] FILE
FILE is a job, a component, a sweep, or a pipeline, whose components are checked, too.
Every error has a position, FILE:LINE:COLUMN, and a hint. Hosts are not checked, and targets only
with --target.
The exit code is 0 if there are no errors, else 241.
)"};

constexpr Command kSchema = {{.command = "muster schema", .glued = Glued::all, .anywhere = true},
                             schema_table,
                             R"(muster schema: print the JSON Schema of job files, for editors.

Usage: muster schema > job.schema.json
)"};

constexpr Command kExport = {
    {.command = "muster export", .glued = Glued::all, .anywhere = true, .dash_is_word = true},
    export_table,
    R"(muster export: write a job down for a scheduler.

Usage: muster export [OPTIONS] kubernetes|slurm|grid_engine|crontab FILE
kubernetes: prints manifests that can be read, committed and applied. Kinds job and jobset run
muster in their pods, and carry out any job; the others are for the operators of MPI, PyTorch and
TensorFlow jobs. slurm, grid_engine: prints a script for sbatch, or for qsub. crontab: prints a
line for cron, of a schedule of Azure ML's; kubernetes makes a CronJob of one.

Examples:
  muster export kubernetes job.yml --as mpijob > mpijob.yml
  muster export kubernetes job.yml --target lab -o manifests/job.yml
  muster export slurm job.yml --target cluster > job.sh
  muster export crontab schedule.yml >> crontab
)"};

struct Words {
  JobDraft draft;
  std::vector<std::string> rest;  // what is no option
};

// Options may stand before and after the file; all after -- is no option.
Result<Words> read_verb(const Command& command, const Call& call) {
  Words words;
  words.draft.current_folder = call.current_folder;
  std::span<const std::string> left(call.words);
  while (!left.empty()) {
    const auto read = read_options(command.table(), command.grammar, left, words.draft);
    if (!read) return tl::unexpected(with_wrong_hosts(read.error(), call, words.draft.hosts));
    if (words.draft.help) break;
    const bool ended = read->program > 0 && left[read->program - 1] == "--";
    left = left.subspan(read->program);
    const std::size_t taken = ended ? left.size() : std::min<std::size_t>(1, left.size());
    words.rest.insert(words.rest.end(), left.begin(), left.begin() + std::ptrdiff_t(taken));
    left = left.subspan(taken);
  }
  return words;
}

std::string help(const Command& command, const Call& call) {
  return option::help_text(command.head, texts_of(command.table()), "", call.columns);
}

Result<void> check_json(const JobDraft& draft) {
  if (!draft.json || draft.detach || draft.dry_run || draft.check) return {};
  return tl::unexpected(json_needs_detach());
}

Result<std::string> only_file(const Command& command, const Words& words) {
  if (words.rest.empty()) {
    return fail(Fault::usage, fmt::format("write: {} job.yml", command.grammar.command),
                "no job file given");
  }
  if (words.rest.size() > 1) {
    const bool sets = words.rest.front().find('=') != std::string::npos;
    return fail(
        Fault::usage,
        sets ? "for a tag: --set tags." + words.rest.front() : "each file is a job of its own",
        "one job file at a time, not also {}", spec::in_quotes(words.rest[1]));
  }
  return words.rest.front();
}

// What a command line that is explained begins with.
std::vector<std::string> explained_names() {
  std::vector<std::string> names;
  for (const Front& front : fronts()) {
    if (front.takes_file || front.names == "lead") continue;
    for (std::string& name : base::split(front.names, " ")) names.push_back(std::move(name));
  }
  return names;
}

// Whether a word follows one of explain's own options, which takes it for its value.
bool is_value(const std::string& before) {
  const OptionTexts texts = texts_of(explain_table());
  return std::ranges::any_of(texts, [&](const OptionText* option) {
    const bool takes = option->takes != Takes::nothing && option->traits.arity != Arity::optional;
    return takes && std::ranges::count(names_of(*option), before) > 0;
  });
}

// A command line without the dashes that tell it from a job file and its options.
std::string line_behind_dashes(const Call& call) {
  auto word = call.words.begin();
  while (word != call.words.end() && word->starts_with('-')) {
    word += is_value(*word) && std::next(word) != call.words.end() ? 2 : 1;
  }
  if (word != call.words.end() && call.has_file && call.has_file(*word)) return {};
  if (word != call.words.end() && *word == "muster") ++word;
  const auto name =
      word == call.words.end() ? std::nullopt : base::nearest(*word, explained_names());
  if (!name) return {};
  std::vector<std::string> line = {"muster", "explain", "--", *name};
  line.insert(line.end(), std::next(word), call.words.end());
  return base::shell_words(line);
}

// The words of a command line: "mpirun -np 4 x", "run -n 4 x", "muster run -n 4 x".
Result<Reading> explain_words(const Call& call, std::vector<std::string> words) {
  if (!words.empty() && words.front() == "muster") words.erase(words.begin());
  if (words.empty()) {
    return fail(Fault::usage, "for example: muster explain -- run -n 4 ./prog",
                "nothing to explain");
  }
  const Front* front = front_of(words.front());
  if (front == nullptr || front->takes_file) {
    return fail(Fault::usage,
                base::did_you_mean(words.front(), explained_names(),
                                   "begin with run, mpirun or mpiexec.hydra"),
                "{} is not a command that muster can explain", spec::in_quotes(words.front()));
  }
  Call inner = call;
  inner.called = words.front();
  inner.words.assign(std::next(words.begin()), words.end());
  inner.is_explained = true;
  return front->read(inner);
}

bool has_dashes(const Call& call) {
  return std::ranges::find(call.words, "--") != call.words.end();
}

// What is wrong with the words of explain, and how a command line is written there.
base::Error not_explained(const Call& call, base::Error error) {
  const std::string line = has_dashes(call) ? "" : line_behind_dashes(call);
  if (!line.empty()) error.hint = "a command line comes after two dashes: " + line;
  return error;
}

// There will be no such run: a name for it would only be looked for.
std::string without_name(const std::string& record_folder) {
  return record_folder.empty() ? "" : record_folder.substr(0, record_folder.rfind('/')) + "/<run>";
}

std::string fine_text(const std::string& file, const job::JobReading& read) {
  if (read.job.parallel) return file + ": a parallel job, nothing wrong\n";
  const job::Layout layout = job::layout_of(read.job);
  return fmt::format("{}: {}, nothing wrong; it asks for {} node{}\n", file,
                     job::word(read.job.dialect), layout.nodes, layout.nodes == 1 ? "" : "s");
}

model::CheckedFile checked_file(const std::string& path, const job::JobFile& job) {
  model::CheckedFile checked{path, {}, {}};
  for (const job::Input& input : job.inputs) {
    checked.inputs.push_back({input.name, !input.value && !input.optional});
  }
  for (const job::Output& output : job.outputs) checked.outputs.push_back(output.name);
  checked.has_artifacts = job::has_run_folder(job);
  return checked;
}

std::string fine_sweep(const std::string& file, const job::SweepFile& sweep) {
  const std::uint64_t trials = sweep::trials_of(sweep.settings);
  return fmt::format("{}: a sweep, nothing wrong; it has {} trial{}\n", file, trials,
                     trials == 1 ? "" : "s");
}

Reading validate_pipeline(const Call& call, const JobDraft& draft, const std::string& file,
                          const std::string& text) {
  const std::string folder = folder_of(absolute(call, file));
  const auto known = known_targets(call, folder);
  JobDraft own = draft;
  own.explains = draft.json;  // programs want to know where names lead
  KnownNames names(call, own, folder, known);
  job::PipelineReading read = read_with_names(call, file, text, names);
  const job::Pipeline& root = read.pipeline.root;
  Reading reading;
  if (read.complaints.empty()) {
    if (!known) {
      read.complaints = {known.error()};
    } else if (!known->complaints.empty()) {
      read.complaints = known->complaints;
    } else {
      Rehearsal rehearsal = rehearse(call, draft, folder, read.pipeline, known->targets, names);
      read.complaints = std::move(rehearsal.complaints);
      std::ranges::move(rehearsal.notices, std::back_inserter(read.notices));
      reading.outputs = std::move(rehearsal.outputs);
    }
  }
  if (read.complaints.empty()) {
    const std::size_t steps = root.steps.size();
    if (root.is_sweep) reading.text = fine_sweep(file, *root.steps.front().job.sweep);
    if (!root.is_sweep)
      reading.text = fmt::format("{}: a pipeline, nothing wrong; it has {} step{}\n", file, steps,
                                 steps == 1 ? "" : "s");
  }
  reading.notices = std::move(read.notices);
  if (draft.json) {
    reading.checked = checked_file(file, root.head);
    names.tell(reading.notices);
  }
  reading.complaints = std::move(read.complaints);
  return reading;
}

// Of a pipeline those of its steps first, which know more of them.
std::vector<model::NamedPath> outputs_of(const Reading& read) {
  if (read.request && read.request->record) return read.request->record->outputs;
  if (!read.pipeline) return {};
  const std::vector<model::NamedPath>& own = read.pipeline->record.outputs;
  std::vector<model::NamedPath> outputs;
  for (const StepRequest& step : read.pipeline->steps) {
    if (read.pipeline->sweep) break;  // those of its trials go
    outputs.insert(outputs.end(), step.outputs.begin(), step.outputs.end());
  }
  outputs.insert(outputs.end(), own.begin(), own.end());
  return outputs;
}

// As if it were submitted there: all that is found out before anything starts.
Result<Reading> validate_for_target(const Call& call, const JobDraft& draft,
                                    const std::string& file) {
  JobDraft own = draft;
  own.validates = true;
  return read_job_request(call, own, file).map([&](Reading read) {
    Reading reading;
    reading.notices = std::move(read.notices);
    reading.complaints = std::move(read.complaints);
    if (draft.json) reading.checked = model::CheckedFile{file, {}, {}, draft.target, {}};
    if (!reading.complaints.empty()) return reading;
    reading.text = draft.target.empty()
                       ? fmt::format("{}: nothing wrong\n", file)
                       : fmt::format("{}: nothing wrong for the target {}\n", file, draft.target);
    if (!read.cluster) reading.outputs = outputs_of(read);
    reading.cluster = std::move(read.cluster);
    reading.batch = std::move(read.batch);
    reading.only_asks = true;
    return reading;
  });
}

// Of a target that can be asked.
Result<Reading> only_checked(const Call& call, const JobDraft& draft, const std::string& file) {
  auto reading = validate_for_target(call, draft, file);
  if (!reading || !reading->complaints.empty() || reading->cluster || reading->batch) {
    return reading;
  }
  return fail(Fault::usage, "--dry-run shows where its ranks would run",
              "--check asks a cluster or a batch system, and the target of {} is neither", file);
}

void only_show(Reading& reading, bool json) {
  if (reading.request) {
    reading.request->dry_run = true;
    reading.request->json = json;
  }
  if (!reading.pipeline) return;
  reading.pipeline->dry_run = true;
  reading.pipeline->json = json;
}

// A plan, or the script for a batch system, whose hosts nobody knows yet.
Result<Reading> only_shown(Reading reading, bool json) {
  if (reading.batch && json) {
    return fail(Fault::usage, "without --json, --dry-run shows the script",
                "there is no plan before {} has given hosts",
                batch::system_of(reading.batch->kind)->name);
  }
  only_show(reading, json);
  return reading;
}

}  // namespace

base::Error json_needs_detach() {
  return {Fault::usage,
          "--json works only with --detach",
          "add --detach; muster show last --json tells of a run that has ended",
          {}};
}

OptionTexts submit_options() { return texts_of(submit_table()); }
OptionTexts explain_options() { return texts_of(explain_table()); }
OptionTexts validate_options() { return texts_of(validate_table()); }
OptionTexts schema_options() { return texts_of(schema_table()); }
OptionTexts export_options() { return texts_of(export_table()); }

Result<Reading> read_submit(const Call& call) {
  auto words = read_verb(kSubmit, call);
  if (!words) return tl::unexpected(std::move(words.error()));
  if (words->draft.help) return Reading{.text = help(kSubmit, call)};
  if (auto fine = check_json(words->draft); !fine) return tl::unexpected(fine.error());
  const auto file = only_file(kSubmit, *words);
  if (!file) return tl::unexpected(file.error());
  if (words->draft.check) return only_checked(call, words->draft, *file);
  auto reading = read_job_request(call, words->draft, *file);
  return reading && words->draft.dry_run ? only_shown(std::move(*reading), words->draft.json)
                                         : std::move(reading);
}

Result<Reading> read_explain(const Call& call) {
  auto words = read_verb(kExplain, call);
  if (!words) return tl::unexpected(not_explained(call, std::move(words.error())));
  if (words->draft.help) return Reading{.text = help(kExplain, call)};
  Call unnamed = call;
  unnamed.record_folder = without_name(call.record_folder);
  words->draft.explains = true;
  auto reading = has_dashes(call)
                     ? explain_words(unnamed, std::move(words->rest))
                     : only_file(kExplain, *words).and_then([&](const std::string& file) {
                         return read_job_request(unnamed, words->draft, file);
                       });
  if (!reading) return tl::unexpected(not_explained(call, std::move(reading.error())));
  only_show(*reading, words->draft.json);
  if (reading->request) {
    reading->request->show_environment = true;
    reading->request->shows_one_rank = !words->draft.all_ranks;
  }
  reading->batch = nullptr;  // its hosts are what is shown
  return reading;
}

Result<Reading> read_validate(const Call& call) {
  auto words = read_verb(kValidate, call);
  if (!words) return tl::unexpected(std::move(words.error()));
  if (words->draft.help) return Reading{.text = help(kValidate, call)};
  const auto file = only_file(kValidate, *words);
  if (!file) return tl::unexpected(file.error());
  if (!words->draft.target.empty()) return validate_for_target(call, words->draft, *file);
  const auto text = call.read_file(*file, job::kFileMax);
  if (!text) return tl::unexpected(text.error());
  if (job::is_pipeline(*text)) return validate_pipeline(call, words->draft, *file, *text);
  job::JobReading read = job::read_component(*text, *file);
  Reading reading;
  if (read.complaints.empty()) {
    Rehearsal rehearsal = rehearse(call, words->draft, *file, read.job);
    read.complaints = std::move(rehearsal.complaints);
    std::ranges::move(rehearsal.notices, std::back_inserter(read.notices));
    reading.outputs = std::move(rehearsal.outputs);
  }
  if (read.complaints.empty()) reading.text = fine_text(*file, read);
  if (words->draft.json) {
    reading.checked = checked_file(*file, read.job);
    reading.checked->run_configuration = job::saved_values(*text);
  }
  reading.notices = std::move(read.notices);
  reading.complaints = std::move(read.complaints);
  return reading;
}

Result<Reading> read_export(const Call& call) {
  const auto words = read_verb(kExport, call);
  if (!words) return tl::unexpected(words.error());
  if (words->draft.help) return Reading{.text = help(kExport, call)};
  if (words->rest.size() == 2) {
    return read_export_request(call, words->draft, words->rest[0], words->rest[1]);
  }
  const bool none = words->rest.empty();
  return fail(Fault::usage, "for example: muster export kubernetes job.yml --as job", "{}",
              none ? "no scheduler given" : "muster export takes a scheduler and one job file");
}

Result<Reading> read_schema(const Call& call) {
  const auto words = read_verb(kSchema, call);
  if (!words) return tl::unexpected(words.error());
  if (words->draft.help) return Reading{.text = help(kSchema, call)};
  if (!words->rest.empty()) {
    return fail(Fault::usage, "it has one schema for all job files",
                "muster schema takes no words, such as {}", spec::in_quotes(words->rest.front()));
  }
  return Reading{.text = job::schema()};
}

}  // namespace muster::front
