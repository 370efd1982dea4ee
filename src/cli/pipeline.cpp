// From a pipeline's request to its exit code.
#include "cli/pipeline.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <unistd.h>
#include <utility>

#include "base/address.hpp"
#include "base/variables.hpp"
#include "blobs/blob_store.hpp"
#include "blobs/sha256.hpp"
#include "cli/checkpoints.hpp"
#include "cli/code.hpp"
#include "cli/detached.hpp"
#include "cli/launch.hpp"
#include "cli/output_places.hpp"
#include "cli/reuse.hpp"
#include "cli/speak.hpp"
#include "cli/step_outputs.hpp"
#include "cli/sweep.hpp"
#include "cli/take_over.hpp"
#include "cli/written_value.hpp"
#include "host/limits.hpp"
#include "pipeline/conductor.hpp"
#include "pipeline/sweep_overseer.hpp"
#include "plan/surroundings.hpp"
#include "process/signal_mask.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/reader.hpp"
#include "view/pipeline_plan.hpp"
#include "view/steps_json.hpp"
#include "view/sweep_words.hpp"

namespace muster::cli {
namespace {

using base::Result;
using front::PipelineRequest;
using front::StepRequest;

std::string plan_text(const PipelineRequest& request) {
  std::vector<view::NamedStep> steps;
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    steps.push_back({request.steps[i].name, request.plan[i]});
  }
  const std::string warning = request.dry_run ? OutputPlaces(request).warning() : "";
  return view::steps_json(steps, request.record.names, warning);
}

pipeline::Recorder recorder_of(const PipelineRequest& request) {
  pipeline::RecorderOptions options;
  model::RunRecord& record = options.record;
  record.folder = request.record.folder;
  record.name = request.record.name;
  record.title = request.record.title;
  record.experiment = request.record.experiment;
  record.outputs = request.record.outputs;
  record.tags = request.record.tags;
  for (const std::string& word : request.record.asked.words) {
    record.command.push_back(base::without_secrets(word));
  }
  for (const front::PoolHost& host : request.hosts) record.hosts.push_back(host.name);
  for (const StepRequest& step : request.steps) record.steps.emplace_back().name = step.name;
  record.rerun_of = request.earlier;
  record.scheduler = request.record.scheduler;
  record.created = request.record.submitted;
  options.asked = request.record.asked;
  options.plan = plan_text(request);
  options.version = MUSTER_VERSION;
  return pipeline::Recorder(std::move(options));
}

machine::PipelineInput machine_input(const PipelineRequest& request) {
  machine::PipelineInput input{request.plan, {}, request.at_once, request.goes_on, request.skipped};
  for (const front::PoolHost& host : request.hosts) input.slots.push_back(host.slots);
  const bool only_some = request.only_anew && !request.sweep;
  for (std::size_t i = 0; only_some && i < request.steps.size(); ++i) {
    const StepRequest& step = request.steps[i];
    const bool runs = request.anew.contains(step.name) || earlier_step(request, step);
    if (!runs) input.skipped.insert(i);
  }
  return input;
}

std::vector<front::PoolShare> shares_of(const PipelineRequest& request,
                                        const machine::StartStep& start) {
  std::vector<front::PoolShare> shares;
  for (const machine::HostShare& share : start.hosts) {
    shares.push_back({request.hosts[share.host].name, share.slots});
  }
  return shares;
}

// A pass of a loop: another one may have run in its place.
bool may_be_left_out(const model::PlannedStep& plan, std::size_t before) {
  const auto has = [&](const std::vector<std::size_t>& steps) {
    return steps.size() > 1 && std::ranges::count(steps, before) > 0;
  };
  return plan.anyway || std::ranges::any_of(plan.any_of, has) ||
         std::ranges::any_of(plan.when, has, &model::StepCondition::steps);
}

// A step that is run again by itself needs what those before it have made.
Result<void> check_anew(const PipelineRequest& request) {
  for (const std::string& name : request.anew) {
    if (std::ranges::count(request.steps, name, &StepRequest::name) > 0) continue;
    return base::fail(base::Fault::usage, "muster show RUN lists its steps",
                      "the pipeline has no step {}", name);
  }
  for (std::size_t i = 0; request.only_anew && i < request.steps.size(); ++i) {
    if (!request.anew.contains(request.steps[i].name)) continue;
    for (const std::size_t before : request.plan[i].after) {
      const StepRequest& step = request.steps[before];
      if (earlier_step(request, step) || may_be_left_out(request.plan[i], before)) continue;
      return base::fail(base::Fault::usage, "muster rerun of the pipeline runs both",
                        "{} needs {}, whose outputs are not there", request.steps[i].name,
                        step.name);
    }
  }
  return {};
}

// The files are in the record of the pipeline.
model::TypedCommand own_words(const PipelineRequest& request) {
  return {request.record.asked.words, request.record.asked.folder, {}};
}

// An attempt goes on from the one before it, whose record has the same name with its number; the
// first one from what an earlier run of the pipeline has left.
std::string checkpoints_before(const PipelineRequest& request, const StepRequest& step,
                               std::uint32_t attempt) {
  const std::string folder = store::step_folder(request.record.folder, step.name);
  if (attempt > 0) return fmt::format("{}@{}", folder, attempt);
  return request.fresh_checkpoints ? "" : earlier_checkpoints(request.earlier, step.name);
}

int launch_step(const PipelineRequest& request, const machine::StartStep& start,
                front::RunRequest own, Invocation invocation) {
  const StepRequest& step = request.steps[start.step];
  if (own.checkpoints) own.checkpoints->earlier = checkpoints_before(request, step, start.attempt);
  own.record->folder = store::step_folder(request.record.folder, step.name);
  own.record->asked = own_words(request);
  own.record->overwrites |= request.record.overwrites;
  if (own.code && step.code) own.code->again = step.code->again;
  own.keeps = front::Keeps::always;
  invocation.is_step = true;
  plan::settle_exports({invocation.environment, invocation.given}, own.spec);
  if (invocation.parent >= 0) invocation.announce = std::exchange(invocation.parent, -1);
  // What a detached one prints lies in its streams.
  const bool is_read = request.sweep && request.sweep->from_output;
  if (invocation.announce >= 0 && !is_read)
    own.spec.output.routes.out.console = own.spec.output.routes.err.console = false;
  return launch(own, invocation);
}

// Without the end of its last line.
Result<std::string> text_in(const std::string& path) {
  return written_value(path).map([](std::string text) {
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    return text;
  });
}

// These four in the step's own process. Until the record names it, nobody may remove what is found.
std::optional<int> take_over_what_is_there(const PipelineRequest& request, const StepRequest& step,
                                           const std::string& key) {
  if (key.empty() && request.earlier.empty()) return std::nullopt;
  const auto hold = blobs::BlobStore(blobs::blobs_of(records_of(request.record.folder))).hold();
  auto from = earlier_step(request, step);
  const bool may_be_found = !key.empty() && !request.anew.contains(step.name);
  if (!from && may_be_found) from = find_reusable(request, key);
  return from ? take_over(request, step, *from) : std::nullopt;
}

// A step that is declared deterministic.
std::string not_reused(const StepRequest& step, const std::string& why) {
  return fmt::format("{} is not reused: {}", step.name, why);
}

// Those whose outputs it reads have not been run again: its items are the same.
bool reads_the_same(const PipelineRequest& request, std::size_t step) {
  return std::ranges::all_of(request.plan[step].after, [&](std::size_t before) {
    const std::string& name = request.steps[before].name;
    const auto record = store::read_record(store::step_folder(request.record.folder, name));
    return !record || !record->reused_from.empty();
  });
}

// From the step's attempt before, or from what an earlier run of the pipeline has left.
void go_on_within(const PipelineRequest& request, const machine::StartStep& start,
                  PipelineRequest& within) {
  const StepRequest& step = request.steps[start.step];
  within.fresh_checkpoints = request.fresh_checkpoints;
  if (start.attempt > 0) {
    const std::string folder = store::step_folder(request.record.folder, step.name);
    within.earlier = fmt::format("{}@{}", folder, start.attempt);
  } else if (within.sweep || reads_the_same(request, start.step)) {
    within.earlier = latest_record(request, step);
  }
}

// Of a step that has completed; `key` and `stamp`: from before it ran. Its inputs
// may have been edited while it ran, and which version it has read is unknown then. They may be
// large, so they are hashed again only where the kernel cannot say that nothing has changed.
void offer_outputs(const PipelineRequest& request, const StepRequest& step, const std::string& key,
                   const std::string& stamp) {
  const bool is_as_before = !stamp.empty() && reuse_stamp(request, step) == stamp;
  const ReuseKey now = is_as_before ? ReuseKey{key, ""} : reuse_key(request, step);
  std::string why = now.why_not;
  if (now.key == key) {
    const std::string folder = store::step_folder(request.record.folder, step.name);
    const auto offered = offer_for_reuse(request, key, folder);
    if (!offered) why = offered.error().what;
  } else if (why.empty()) {
    why = "its inputs changed while it ran";
  }
  if (why.empty() || !process::no_signal_waits()) return;
  note(fmt::format("{} is not reused later: {}", step.name, why));
}

int run_step(const PipelineRequest& request, const machine::StartStep& start,
             const Invocation& invocation) {
  const StepRequest& step = request.steps[start.step];
  const std::string stamp = reuse_stamp(request, step);  // before anything is read
  const auto [key, why_not] = reuse_key(request, step);
  const bool ends_this_run = request.plan[start.step].anyway;
  if (!ends_this_run) {
    if (const auto code = take_over_what_is_there(request, step, key)) return *code;
  }
  if (!why_not.empty() && process::no_signal_waits()) note(not_reused(step, why_not));
  const front::StepStart known{shares_of(request, start), start.chosen, text_in};
  const auto within = request.within ? request.within(start.step, known) : nullptr;
  if (!within) return complain(within.error());
  if (*within) {
    (*within)->record.asked = own_words(request);
    (*within)->record.overwrites |= request.record.overwrites;
    go_on_within(request, start, **within);
    for (StepRequest& one : (*within)->steps) one.code = step.code;
    Invocation its = invocation;
    its.is_step = true;
    if (its.parent >= 0) its.announce = std::exchange(its.parent, -1);
    return run_pipeline(**within, its);
  }
  auto own = request.request(start.step, known);
  if (!own) return complain(own.error());
  const int code = launch_step(request, start, std::move(*own), invocation);
  if (code == 0 && !key.empty()) offer_outputs(request, step, key, stamp);
  return code;
}

int run_trial(const PipelineRequest& request, const machine::StartStep& start,
              const std::vector<sweep::Assignment>& values, const EarlierTrials& earlier,
              const Invocation& invocation) {
  if (const auto kept = earlier.kept.find(start.step); kept != earlier.kept.end()) {
    const auto hold = blobs::BlobStore(blobs::blobs_of(records_of(request.record.folder))).hold();
    const auto code = take_over(request, request.steps[start.step], kept->second);
    return code.value_or(base::exit_code(base::Fault::output));
  }
  auto own = request.sweep->request(start.step, shares_of(request, start), values);
  if (!own) return complain(own.error());
  return launch_step(request, start, std::move(*own), invocation);
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Every condition is taken to hold.
std::map<std::string, bool> says_all(const PipelineRequest& request, std::size_t step) {
  std::map<std::string, bool> says;
  for (const std::string& name : request.steps[step].control) says[name] = true;
  return says;
}

// What is taken from earlier runs, by the folders of the steps; `reasons` gets why others are not.
Elsewhere reused_steps(const PipelineRequest& request, std::string& reasons) {
  Elsewhere elsewhere;
  const auto folder = [&](std::size_t step) {
    return store::step_folder(request.record.folder, request.steps[step].name);
  };
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    const StepRequest& step = request.steps[i];
    auto from = earlier_step(request, step);
    const ReuseKey found = from ? ReuseKey() : reuse_key(request, step, elsewhere);
    if (!found.key.empty()) from = find_reusable(request, found.key);
    if (from) elsewhere[folder(i)] = *from;
    // What steps before it will make is not there yet.
    const bool all_there = std::ranges::all_of(
        request.plan[i].after, [&](std::size_t one) { return elsewhere.contains(folder(one)); });
    if (found.why_not.empty() || (!all_there && step.never_reused.empty())) continue;
    reasons += not_reused(step, found.why_not) + "\n";
  }
  return elsewhere;
}

// Plays the pipeline: each step completes, the one that was started first as the first.
std::vector<view::PlannedRow> rehearsed(const PipelineRequest& request, const Elsewhere& reused) {
  std::vector<view::PlannedRow> rows;
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    const std::string& name = request.steps[i].name;
    const bool is_reused = reused.contains(store::step_folder(request.record.folder, name));
    rows.push_back({name, request.plan[i], {}, is_reused ? "reused" : ""});
  }
  machine::Pipeline pipeline(machine_input(request));
  machine::PipelineEffects effects;
  pipeline.begin(effects);
  for (std::size_t i = 0; i < effects.size(); ++i) {
    if (const auto* over = std::get_if<machine::StepOver>(&effects[i])) {
      rows[over->step].why_not = model::word(over->state);
    }
    const auto* start = std::get_if<machine::StartStep>(&effects[i]);
    if (start == nullptr) continue;
    for (const front::PoolShare& share : shares_of(request, *start)) {
      rows[start->step].hosts.push_back(share.host);
    }
    const std::size_t step = start->step;  // `effects` grows
    pipeline.ended(step, {model::StepState::completed, says_all(request, step)}, effects);
  }
  return rows;
}

// In a pipeline's record: one for each folder, whichever steps name it.
std::string manifest_name(const std::string& folder) {
  constexpr std::size_t kDigits = 16;
  blobs::Sha256 hash;
  hash.add(folder);
  return fmt::format("code.{}.manifest", hash.take().substr(0, kDigits));
}

// That of the run that is run again; empty: there is none, or the files of now are wanted.
std::string earlier_manifest(const PipelineRequest& request, const std::string& name) {
  const std::string path = request.earlier + "/" + name;
  const bool has = !request.earlier.empty() && !request.fresh_code;
  return has && ::access(path.c_str(), F_OK) == 0 ? path : "";
}

Result<void> take_snapshot(const PipelineRequest& request, const front::CodeFolder& code,
                           const std::string& manifest) {
  front::RunRequest whole;
  whole.record = request.record;
  whole.code = code;
  whole.code->again = earlier_manifest(request, manifest_name(code.folder));
  return CodeSnapshot::take(whole).and_then(
      [&](const CodeSnapshot& taken) { return taken.write_manifest(manifest); });
}

bool is_here(const front::PoolHost& host) {
  return host.name == "localhost" || host.name.starts_with("fake-");
}

// It is not run, or nobody knows whether it will be.
bool may_do_without(const PipelineRequest& request, std::size_t step) {
  const StepRequest& one = request.steps[step];
  return request.skipped.contains(step) || !request.plan[step].when.empty() ||
         (request.only_anew && !request.anew.contains(one.name)) || earlier_step(request, one);
}

// A step that would fail hours later for a path that was mistyped is told of now, if all hosts are
// this machine. Steps before it may make it, without saying so.
Result<void> check_paths(const PipelineRequest& request) {
  if (!std::ranges::all_of(request.hosts, is_here)) return {};
  std::set<std::string> made;
  for (const StepRequest& step : request.steps) {
    for (const model::NamedPath& output : step.outputs) made.insert(output.path);
  }
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    const StepRequest& step = request.steps[i];
    if (may_do_without(request, i)) continue;
    std::vector<std::string> paths = step.data;
    if (step.code && earlier_manifest(request, manifest_name(step.code->folder)).empty()) {
      paths.push_back(step.code->folder);
    }
    for (const std::string& path : paths) {
      std::error_code wrong;
      const bool may_come = std::ranges::any_of(
          made, [&](const std::string& one) { return (path + "/").starts_with(one + "/"); });
      if (may_come || std::filesystem::exists(path, wrong)) continue;
      if (!request.plan[i].after.empty()) {
        note(fmt::format("{} needs {}, which is not there yet", step.name, path));
        continue;
      }
      return base::fail(base::Fault::bad_file, "paths are relative to the file that names them",
                        "{} needs {}, which is not there", step.name, path);
    }
  }
  return {};
}

// One manifest for each folder with code of steps: all steps, also those that start later, get
// the files of now, or of the run that is run again.
Result<void> take_snapshots(PipelineRequest& request) {
  std::map<std::string, std::string> manifests;
  std::error_code wrong;
  for (StepRequest& step : request.steps) {
    if (!step.code) continue;
    const std::string name = manifest_name(step.code->folder);
    const std::string path = request.record.folder + "/" + name;
    const bool is_kept = std::filesystem::exists(path, wrong);  // since the submission
    const bool is_here = std::filesystem::is_directory(step.code->folder, wrong) || is_kept ||
                         !earlier_manifest(request, name).empty();
    if (!is_here) continue;
    const auto [own, is_new] = manifests.try_emplace(step.code->folder, path);
    if (is_new && !is_kept) {
      auto taken = take_snapshot(request, *step.code, own->second);
      if (!taken) return taken;
    }
    step.code->again = own->second;
  }
  return {};
}

// Of each output the path of the first step that is done.
std::vector<model::NamedPath> outputs_of(const PipelineRequest& request,
                                         const std::vector<model::StepRecord>& steps) {
  std::vector<model::NamedPath> outputs = request.record.outputs;
  for (std::size_t i = 0; i < request.outputs.size(); ++i) {
    const auto& from = request.outputs[i].from;
    const auto done = std::ranges::find_if(
        from, [&](const auto& one) { return model::is_done(steps[one.step].state); });
    if (done != from.end()) outputs[i].path = done->path;
  }
  return outputs;
}

Result<pipeline::Conducted> carry_out(const PipelineRequest& request, const Invocation& invocation,
                                      pipeline::Recorder& recorder) {
  pipeline::Conducting conducting;
  conducting.plan = machine_input(request);
  for (const front::PoolHost& host : request.hosts) conducting.hosts.push_back(host.name);
  const EarlierTrials earlier = earlier_trials(request);
  if (request.sweep) conducting.plan.skipped = earlier.begun.left_out;
  const std::unique_ptr<pipeline::SweepOverseer> overseer = overseer_of(request, earlier);
  conducting.overseer = overseer.get();
  conducting.run = [&](const machine::StartStep& start) {
    if (overseer == nullptr) return run_step(request, start, invocation);
    return run_trial(request, start, overseer->values(start.step), earlier, invocation);
  };
  conducting.takes_over = [&](std::size_t step) {
    return earlier_step(request, request.steps[step]).has_value();
  };
  conducting.outputs = [&](const auto& steps) { return outputs_of(request, steps); };
  conducting.says = [&](std::size_t step) {
    return what_it_says(request.record.folder, request.steps[step]);
  };
  conducting.colour = style_for(STDOUT_FILENO).colour && style_for(STDERR_FILENO).colour;
  conducting.quiet = is_quiet();
  conducting.tells_interruption = !invocation.is_step;
  host::raise_descriptor_limit();
  return pipeline::conduct(std::move(conducting), recorder);
}

}  // namespace

Result<void> keep_code(const PipelineRequest& request, const std::string& folder) {
  std::set<std::string> taken;
  std::error_code wrong;
  for (const StepRequest& step : request.steps) {
    if (!step.code || !taken.insert(step.code->folder).second) continue;
    const std::string name = manifest_name(step.code->folder);
    const bool is_here = std::filesystem::is_directory(step.code->folder, wrong) ||
                         !earlier_manifest(request, name).empty();
    if (!is_here) continue;
    auto kept = take_snapshot(request, *step.code, fmt::format("{}/{}", folder, name));
    if (!kept) return kept;
  }
  return {};
}

int show_pipeline(const PipelineRequest& request) {
  if (const auto fine = check_paths(request); !fine) return complain(fine.error());
  if (request.json) return print(plan_text(request));
  if (request.sweep) return print(view::sweep_plan(request.sweep->settings, request.sweep->metric));
  const std::string name = request.record.name.empty() ? "" : " " + request.record.name;
  std::string hosts;
  for (const front::PoolHost& host : request.hosts) {
    const bool unbounded = host.slots == model::kRanksMax;
    hosts += (hosts.empty() ? "" : ", ") + host.name;
    if (!unbounded) hosts += fmt::format(" ({})", counted(host.slots, "slot"));
  }
  std::string reasons;
  const Elsewhere reused = reused_steps(request, reasons);
  return print(fmt::format(
      "pipeline{}: {} on {}\n\n{}{}{}", name, counted(request.steps.size(), "step"), hosts,
      view::pipeline_plan(rehearsed(request, reused), style_for(STDOUT_FILENO).width),
      reasons.empty() ? "" : "\n", reasons));
}

int run_pipeline(PipelineRequest& request, const Invocation& invocation) {
  if (const auto fine = check_anew(request); !fine) return complain(fine.error());
  if (const auto fine = check_paths(request); !fine) return complain(fine.error());
  OutputPlaces places(request);
  if (const auto taken = places.take(); !taken) return complain(taken.error());
  pipeline::Recorder recorder = recorder_of(request);
  if (const auto begun = recorder.begin(); !begun) return complain(begun.error());
  if (invocation.parent >= 0) {
    const auto unseen = go_on_unseen(invocation.parent, recorder.record());
    if (!unseen) return complain(unseen.error());
  }
  if (const auto taken = take_snapshots(request); !taken) {
    recorder.end(model::RunState::failed, base::exit_code(taken.error().fault),
                 model::CodeFrom::muster, taken.error().what);
    return complain(taken.error());
  }
  places.begin();
  tell_watched(recorder.record(), invocation);
  const auto conducted = carry_out(request, invocation, recorder);
  places.end();
  if (!conducted) return complain(conducted.error());
  if (recorder.failure()) warn(recorder.failure()->what);
  for (const std::string& trouble : conducted->troubles) warn(trouble);
  const bool lost = !conducted->troubles.empty() || recorder.failure().has_value();
  return first_code(conducted->code, lost ? base::exit_code(base::Fault::output) : 0);
}

}  // namespace muster::cli
