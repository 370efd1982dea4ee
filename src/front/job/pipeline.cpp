// From a pipeline to its steps' requests: files, targets, hosts that they share, folders.
#include "front/job/pipeline.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "base/nearest.hpp"
#include "front/inherited.hpp"
#include "front/job/place.hpp"
#include "front/job/request.hpp"
#include "front/pipeline_request.hpp"
#include "job/graph.hpp"
#include "job/graph_of.hpp"
#include "job/input_type.hpp"
#include "job/layout.hpp"
#include "job/read_pipeline.hpp"
#include "job/sweep_of.hpp"
#include "job/yaml.hpp"
#include "spec/quoted.hpp"
#include "sweep/metric_text.hpp"
#include "sweep/sampler.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

// A target that steps name, with the hosts of the pool that are its.
struct PoolPlace {
  job::Place place;
  std::vector<std::size_t> hosts;  // index: PipelineRequest::hosts
};

// All that requests of steps are made from; they outlive the reading.
struct Ground {
  Call call;
  JobDraft draft;
  job::Graph graph;
  std::vector<std::string> sources;  // of marks in the graph: job::sources_of()
  std::vector<PoolPlace> places;
  std::vector<std::size_t> place_of_step;
};

// ---- hosts that steps share ----

class Pool {
 public:
  Pool(const Call& call, const JobDraft& draft) : call_(call), draft_(draft) {}

  // Entries of one host add up; targets that name the same host mean the same slots.
  std::vector<std::size_t> add(const job::Place& place) {
    std::vector<std::size_t> indices;
    std::map<std::size_t, std::uint32_t> slots;
    for (const model::HostEntry& host : place.found.hosts) {
      const std::size_t index = of(host.name);
      slots[index] += said(host, place.target);
      if (!std::ranges::count(indices, index)) indices.push_back(index);
    }
    for (const auto& [index, own] : slots) hosts_[index].slots = std::max(hosts_[index].slots, own);
    if (!indices.empty()) return indices;
    const std::uint32_t nodes = place.target.fake_nodes ? place.target.fake_nodes->number : 1;
    for (std::uint32_t i = 0; i < nodes; ++i) {
      const bool fake = place.target.fake_nodes.has_value();
      indices.push_back(of(fake ? fmt::format("fake-{}", i) : "localhost"));
      std::uint32_t& most = hosts_[indices.back()].slots;
      most = std::max(most, own_slots(place.target));
    }
    return indices;
  }

  // A host whose slots nobody says runs one step at a time: any takes all of it.
  std::vector<PoolHost> hosts() && {
    for (PoolHost& host : hosts_) host.slots = std::max(1U, host.slots);
    return std::move(hosts_);
  }

 private:
  std::size_t of(const std::string& name) {
    const auto found = std::ranges::find(hosts_, name, &PoolHost::name);
    if (found != hosts_.end()) return static_cast<std::size_t>(found - hosts_.begin());
    hosts_.push_back({name, 0});
    return hosts_.size() - 1;
  }

  static std::uint32_t said(const model::HostEntry& host, const job::Target& target) {
    return host.slots.value_or(target.slots ? target.slots->number : 0);
  }

  // Of this machine. Whoever says how many steps it shall run at once knows what it can bear.
  [[nodiscard]] std::uint32_t own_slots(const job::Target& target) const {
    if (target.slots) return target.slots->number;
    if (draft_.at_once > 0) return model::kRanksMax;
    return std::max(1U, call_.counts.cpus ? call_.counts.cpus() : 1);
  }

  const Call& call_;
  const JobDraft& draft_;
  std::vector<PoolHost> hosts_;
};

// ---- the request of one step ----

std::string step_folder(const Call& call, const std::string& name) {
  return fmt::format("{}/steps/{}", call.record_folder, name);
}

job::Bases bases_of_step(const Ground& ground, std::size_t step) {
  const job::GraphStep& one = ground.graph.steps[step];
  return {one.folder, one.folder, step_folder(ground.call, one.name) + "/outputs", {}};
}

std::string path_of(const Ground& ground, const job::StepOutput& output) {
  const job::GraphStep& maker = ground.graph.steps[output.step];
  const auto& outputs = maker.job.outputs;
  const auto found = std::ranges::find(outputs, output.output, &job::Output::name);
  return found == outputs.end() ? "" : job::output_path(*found, bases_of_step(ground, output.step));
}

using Chosen = std::span<const std::size_t>;

// That of a step that was chosen; before any is, the last one's.
const job::StepOutput& the_one(const job::MadeBy& made, Chosen chosen) {
  const auto counts = [&](const job::StepOutput& one) {
    return std::ranges::find(chosen, one.step) != chosen.end();
  };
  const auto found = std::ranges::find_if(made, counts);
  return found == made.end() ? made.front() : *found;
}

bool stands_for_value(const Ground& ground, const job::Input& input, job::Dialect dialect,
                      const job::StepOutput& made) {
  const auto& outputs = ground.graph.steps[made.step].job.outputs;
  const auto found = std::ranges::find(outputs, made.output, &job::Output::name);
  const bool wants_path = input.type && job::type_of(input, dialect) == job::InputType::path;
  return found != outputs.end() && job::is_value(*found) && !wants_path;
}

// Inputs that other steps make become paths, or what the output's file holds once that step has
// ended.
job::JobFile bound_job(const Ground& ground, std::size_t step, const StepStart* start = nullptr) {
  const job::GraphStep& one = ground.graph.steps[step];
  job::JobFile job = one.job;
  for (job::Input& input : job.inputs) {
    const auto from = one.inputs.find(input.name);
    if (from == one.inputs.end()) continue;
    std::string path = path_of(ground, the_one(from->second, start ? start->chosen : Chosen()));
    input.is_path = !stands_for_value(ground, input, job.dialect, from->second.front());
    if (start != nullptr && !input.is_path) path = start->read(path);
    input.value = job::Text{std::move(path), input.mark, input.mark, true};
    input.mode.reset();  // it goes to hosts that do not see it, to the same path
  }
  return job;
}

JobDraft draft_of_step(const JobDraft& draft, const std::string& name) {
  JobDraft own = draft;
  own.settings.clear();
  if (!own.output.logs.empty()) own.output.logs += "/" + name;
  own.detach = own.json = false;
  return own;
}

// The first entry of each host that the step uses, with what it gets there.
job::Place narrowed(job::Place place, std::span<const PoolShare> hosts) {
  if (place.found.hosts.empty()) return place;
  std::vector<model::HostEntry> kept;
  for (const PoolShare& share : hosts) {
    const auto entry = std::ranges::find(place.found.hosts, share.host, &model::HostEntry::name);
    if (entry == place.found.hosts.end()) continue;
    kept.push_back(*entry);
    const bool said = entry->slots || place.target.slots;  // else it takes what the step needs
    if (said) kept.back().slots = share.slots;
    kept.back().slots_are_cores = false;
  }
  place.found.hosts = std::move(kept);
  return place;
}

Reading step_reading(const Ground& ground, std::size_t step, const job::Place& place,
                     const StepStart* start = nullptr) {
  const job::GraphStep& one = ground.graph.steps[step];
  Call call = ground.call;
  call.record_folder = step_folder(ground.call, one.name);
  Reading reading =
      job_request(call, draft_of_step(ground.draft, one.name),
                  {bound_job(ground, step, start), one.folder, {}, ground.sources}, place);
  if (!reading.request) return reading;
  if (auto taken = take_inherited_settings(call, reading.request->spec); !taken) {
    reading.complaints.push_back(std::move(taken.error()));
    return reading;
  }
  Recording& record = *reading.request->record;
  record.name = one.name;
  if (record.experiment.empty()) record.experiment = ground.graph.experiment;
  return reading;
}

// ---- sweeps ----

using SharedGround = std::shared_ptr<const Ground>;

std::string trial_name(std::size_t trial) { return fmt::format("trial_{}", trial); }

// Of a sweep's trials: that of the user, or below it where the sweep is a step. Empty: in their
// records.
std::string logs_of_trials(const Ground& ground, std::size_t step, const std::string& folder) {
  std::string logs = ground.draft.output.logs;
  const bool is_step = folder != ground.call.record_folder;
  if (!logs.empty() && is_step) logs += "/" + ground.graph.steps[step].name;
  return logs.empty() ? logs : absolute(ground.call, logs);
}

JobDraft draft_of_trial(const Ground& ground, std::size_t step, const std::string& folder,
                        const std::string& name) {
  JobDraft own = ground.draft;
  own.output.logs = logs_of_trials(ground, step, folder);
  return draft_of_step(own, name);
}

// A trial's outputs lie in its own record: those of the best one are copied to where the sweep's
// are. Its script finds MLflow's files through the variable that MLflow knows.
RunRequest trial_request(const Ground& ground, std::size_t step, const std::string& sweep_folder,
                         const std::string& name, const StepStart& start,
                         const std::vector<sweep::Assignment>& values) {
  const job::GraphStep& one = ground.graph.steps[step];
  job::JobFile job = bound_job(ground, step, &start);
  job::assign(job, values);
  for (job::Output& output : job.outputs) output.path.reset();
  Call call = ground.call;
  call.record_folder = fmt::format("{}/steps/{}", sweep_folder, name);
  const job::Place& place = ground.places[ground.place_of_step[step]].place;
  Reading reading =
      job_request(call, draft_of_trial(ground, step, sweep_folder, name),
                  {std::move(job), one.folder, {}, ground.sources}, narrowed(place, start.hosts));
  RunRequest& request = *reading.request;
  request.record->name = name;
  for (model::App& app : request.spec.apps) {
    constexpr std::string_view kUri = "MLFLOW_TRACKING_URI";
    if (std::ranges::count(app.exports, kUri, &model::EnvSetting::name) > 0) continue;
    app.exports.push_back({std::string(kUri), sweep::file_uri(fmt::format(
                                                  "{}/{}", call.record_folder, kMetricsFolder))});
  }
  return std::move(request);
}

std::vector<std::size_t> steps_of(const job::MadeBy& made) {
  std::vector<std::size_t> steps;
  for (const job::StepOutput& one : made) steps.push_back(one.step);
  return steps;
}

model::PlannedStep planned_step(const job::GraphStep& step, const PoolPlace& where) {
  job::Layout layout = job::layout_of(step.job, where.place.instance_types);
  const std::size_t has = where.hosts.size();
  (void)job::share_nodes(step.job, has, layout);
  model::PlannedStep plan;
  plan.after = step.after;
  plan.nodes = std::min(layout.nodes, static_cast<std::uint32_t>(has));
  plan.slots = std::max(layout.per_node, layout.launches ? layout.slots : 1);
  plan.hosts = where.hosts;
  for (const auto& [name, made] : step.inputs) {
    if (made.size() > 1) plan.any_of.push_back(steps_of(made));
  }
  for (const job::Condition& one : step.when) {
    plan.when.push_back({steps_of(one.output), one.output.front().output, one.is});
  }
  return plan;
}

// How many trials run at once: what the sweep says, as far as the hosts have room.
std::uint32_t trials_at_once(const sweep::Settings& settings, const model::PlannedStep& trial,
                             std::span<const PoolHost> hosts) {
  std::uint64_t places = 0;
  for (const PoolHost& host : hosts) places += std::max(1U, host.slots / trial.slots);
  const std::uint64_t room = std::max<std::uint64_t>(1, places / trial.nodes);
  const std::uint64_t said = settings.limits.at_once;
  const std::uint64_t most = std::min(sweep::trials_of(settings), said == 0 ? room : said);
  return static_cast<std::uint32_t>(std::min(most, room));
}

// A step that is a sweep takes as many hosts and slots as its trials side by side.
void widen(const sweep::Settings& settings, const std::vector<PoolHost>& pool,
           model::PlannedStep& plan) {
  std::vector<PoolHost> hosts;
  for (const std::size_t index : plan.hosts) hosts.push_back(pool[index]);
  const std::uint32_t processes = trials_at_once(settings, plan, hosts) * plan.nodes;
  std::uint32_t each = 1;
  for (const PoolHost& host : hosts) each = std::max(each, host.slots / plan.slots);
  const std::uint32_t wanted = (processes + each - 1) / each;
  plan.nodes = std::clamp(wanted, plan.nodes, static_cast<std::uint32_t>(hosts.size()));
  plan.slots *= std::min(each, (processes + plan.nodes - 1) / plan.nodes);
}

// The trials of a step, whose record is in this folder.
std::shared_ptr<PipelineRequest> trials_of(const SharedGround& ground, std::size_t step,
                                           const std::string& folder, std::vector<PoolHost> hosts,
                                           StepStart start) {
  const job::GraphStep& one = ground->graph.steps[step];
  model::PlannedStep plan = planned_step(one, ground->places[ground->place_of_step[step]]);
  plan.after.clear();
  plan.when.clear();
  plan.any_of.clear();
  plan.hosts.clear();
  plan.nodes = std::min(plan.nodes, static_cast<std::uint32_t>(hosts.size()));
  auto sweep = std::make_shared<SweepRequest>();
  sweep->settings = one.job.sweep->settings;
  sweep->metric = one.job.sweep->metric;
  sweep->from_output = one.job.sweep->from_output;
  sweep->logs = logs_of_trials(*ground, step, folder);
  std::uint32_t& at_once = sweep->settings.limits.at_once;
  at_once = trials_at_once(sweep->settings, plan, hosts);
  if (ground->draft.at_once > 0) at_once = std::min(at_once, ground->draft.at_once);
  sweep->request = [ground, step, folder, start = std::move(start)](
                       std::size_t trial, const std::vector<PoolShare>& shares,
                       const std::vector<sweep::Assignment>& values) {
    StepStart own = start;
    own.hosts = shares;
    return trial_request(*ground, step, folder, trial_name(trial), own, values);
  };
  auto request = std::make_shared<PipelineRequest>();
  const std::uint64_t count = sweep::trials_of(sweep->settings);
  for (std::size_t i = 0; i < count; ++i) {
    request->steps.emplace_back().name = trial_name(i);
    request->plan.push_back(plan);
  }
  request->hosts = std::move(hosts);
  request->at_once = at_once;
  request->sweep = std::move(sweep);
  request->record.folder = folder;
  request->record.name = one.name;
  request->record.experiment = ground->graph.experiment;
  return request;
}

// ---- the whole ----

// "train" of "jobs/train.yml"; of stdin nothing.
std::string stem_of(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file == "-" ? "" : file.substr(0, file.rfind('.'));
}

class PipelineReader {
 public:
  PipelineReader(const Call& call, const JobDraft& draft, job::Graph graph,
                 std::vector<std::string> sources)
      : ground_(std::make_shared<Ground>(
            Ground{call, draft, std::move(graph), std::move(sources), {}, {}})),
        pool_(ground_->call, ground_->draft) {}

  Result<Reading> read(const job::Targets& known) {
    for (const job::GraphStep& step : ground_->graph.steps) {
      if (const auto placed = place(step, known); !placed) return tl::unexpected(placed.error());
    }
    Reading reading;
    for (std::size_t i = 0; i < ground_->graph.steps.size(); ++i) add_step(i, reading);
    if (const auto skipped = skip(); !skipped) return tl::unexpected(skipped.error());
    finish();
    reading.pipeline = std::make_shared<PipelineRequest>(std::move(request_));
    return reading;
  }

  // Its only step is a sweep, whose record is the pipeline's.
  Result<Reading> read_sweep(const job::Targets& known) {
    auto reading = read(known);
    if (!reading || !reading->complaints.empty()) return reading;
    const PipelineRequest& whole = *reading->pipeline;
    const std::string& folder = ground_->call.record_folder;
    auto request = trials_of(ground_, 0, folder, whole.hosts, {});
    request->record = whole.record;
    request->record.outputs.clear();
    const job::GraphStep& step = graph().steps.front();
    for (const job::Output& output : step.job.outputs) {
      const job::Bases bases{step.folder, step.folder, folder + "/outputs", {}};
      request->record.outputs.push_back({output.name, job::output_path(output, bases)});
    }
    for (StepRequest& trial : request->steps) trial.code = whole.steps.front().code;
    request->detach = whole.detach;
    request->json = whole.json;
    reading->pipeline = std::move(request);
    return reading;
  }

 private:
  [[nodiscard]] const job::Graph& graph() const { return ground_->graph; }

  // Steps that name the same target share its place.
  Result<void> place(const job::GraphStep& step, const job::Targets& known) {
    const auto& name = step.job.target ? step.job.target : graph().target;
    const auto [slot, is_new] =
        numbers_.try_emplace(name ? name->text : "", ground_->places.size());
    ground_->place_of_step.push_back(slot->second);
    if (!is_new) return {};
    auto place = place_of(ground_->call, ground_->draft, {name, step.job.source}, known);
    if (!place) return tl::unexpected(std::move(place.error()));
    std::vector<std::size_t> hosts = pool_.add(*place);
    ground_->places.push_back({std::move(*place), std::move(hosts)});
    return {};
  }

  void add_step(std::size_t index, Reading& reading) {
    const job::GraphStep& step = graph().steps[index];
    const PoolPlace& where = ground_->places[ground_->place_of_step[index]];
    Reading own = step_reading(*ground_, index, where.place);
    if (step.name.size() > kNameMax) own.complaints.push_back(too_long(step));
    for (base::Error& one : own.complaints) add_new(std::move(one), reading.complaints);
    for (std::string& one : own.notices) add_once(reading.notices, step.name + ": " + one);
    StepRequest& request = request_.steps.emplace_back();
    request.name = step.name;
    model::PlannedStep& plan = request_.plan.emplace_back(planned_step(step, where));
    plan.retries = ground_->draft.retries;
    if (own.request) request.outputs = own.request->record->outputs;
    if (own.request) request.code = own.request->code;
    if (own.request) request.data = data_of(*own.request);
    for (const auto& [name, made] : step.inputs) tell_needed(made);
    // Files that it may read beside its code are not known, nor who else writes to a path, nor
    // which pass of a loop will be the last.
    const bool all_known = request.code && plan.any_of.empty() &&
                           std::ranges::none_of(step.job.outputs, job::says_path);
    if (step.deterministic && !step.job.sweep && all_known) request.reuse = facts_of(index, plan);
    for (const model::StepCondition& condition : plan.when) {
      for (const std::size_t one : condition.steps) {
        request_.steps[one].control.insert(condition.output);
      }
    }
  }

  // Those of files and folders that are not below the pipeline's record.
  [[nodiscard]] std::vector<std::string> data_of(const RunRequest& request) const {
    std::vector<std::string> paths;
    for (const DataPath& one : request.data) {
      const std::string& path = one.from.empty() ? one.path : one.from;
      if (!path.starts_with(ground_->call.record_folder + "/")) paths.push_back(path);
    }
    return paths;
  }

  void tell_needed(const job::MadeBy& made) {
    for (const job::StepOutput& one : made) {
      const auto& outputs = graph().steps[one.step].job.outputs;
      const auto found = std::ranges::find(outputs, one.output, &job::Output::name);
      const bool is_file = found != outputs.end() && job::is_file(*found);
      if (is_file) request_.steps[one.step].needed.insert(one.output);
    }
  }

  // It is the name of a folder, with some characters more before and after it.
  static constexpr std::size_t kNameMax = 200;

  [[nodiscard]] base::Error too_long(const job::GraphStep& step) const {
    return {Fault::bad_file,
            fmt::format("the name of the step {}... has {} characters, and may have {}",
                        step.name.substr(0, 20), step.name.size(), kNameMax),
            "its parts are the names of the pipelines around it",
            {ground_->sources[step.mark.file], step.mark.line, step.mark.column}};
  }

  static void add_new(base::Error error, std::vector<base::Error>& all) {
    if (std::ranges::find(all, error) == all.end()) all.push_back(std::move(error));
  }

  Result<void> skip() {
    std::vector<std::string> names;
    for (const StepRequest& step : request_.steps) names.push_back(step.name);
    for (const std::string& name : ground_->draft.skipped) {
      const std::size_t before = request_.skipped.size();
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name || names[i].starts_with(name + ".")) request_.skipped.insert(i);
      }
      if (request_.skipped.size() == before) {
        return fail(Fault::usage, base::did_you_mean(name, names, "its steps are below jobs:"),
                    "--skip {}: the pipeline has no such step", spec::quoted(name));
      }
    }
    return {};
  }

  // A name that begins a line ends at a tab, and a text at a zero byte: none runs into the next.
  [[nodiscard]] StepFacts facts_of(std::size_t index, const model::PlannedStep& plan) const {
    const job::GraphStep& step = graph().steps[index];
    StepFacts facts;
    std::string& text = facts.facts;
    const auto add = [&](std::string_view name, std::string_view value) {
      text += fmt::format("{}\t{}", name, value) + '\0';
    };
    if (step.job.command) add("command", step.job.command->text);
    for (const job::Text& word : step.job.words) add("word", word.text);
    for (const job::Named& one : step.job.variables) add("variable " + one.name, one.value.text);
    for (const job::Text& one : step.job.environment) add("environment", one.text);
    for (const job::Chosen& one : step.job.frameworks)
      add("kind", std::to_string(int(one.framework)));
    add("nodes", std::to_string(plan.nodes));
    add("slots", std::to_string(plan.slots));
    for (const job::Output& one : step.job.outputs) add("output", one.name);
    for (const job::Input& input : bound_job(*ground_, index).inputs) {
      const bool path = input.value && input.value->text.starts_with('/');
      add("input " + input.name, path || !input.value ? "" : input.value->text);
      if (path) facts.paths.push_back(input.value->text);
    }
    return facts;
  }

  void finish() {
    PipelineRequest& request = request_;
    request.hosts = std::move(pool_).hosts();
    for (std::size_t i = 0; i < request.plan.size(); ++i) {
      if (graph().steps[i].job.sweep) {
        widen(graph().steps[i].job.sweep->settings, request.hosts, request.plan[i]);
      }
    }
    request.at_once = ground_->draft.at_once;
    request.goes_on = graph().goes_on;
    request.reuses = graph().reuses;
    request.detach = ground_->draft.detach;
    request.json = ground_->draft.json;
    request.record = recording();
    for (const job::GraphOutput& output : graph().outputs) {
      PipelineOutput& one = request.outputs.emplace_back(PipelineOutput{output.name, {}});
      for (const job::StepOutput& from : output.from) {
        one.from.push_back({from.step, path_of(*ground_, from)});
      }
      request.record.outputs.push_back({output.name, one.from.front().path});
    }
    request.request = [ground = ground_](std::size_t step, const StepStart& start) {
      const job::Place& place = ground->places[ground->place_of_step[step]].place;
      Reading own = step_reading(*ground, step, narrowed(place, start.hosts), &start);
      return std::move(*own.request);
    };
    request.trials = [ground = ground_, steps = request.steps](std::size_t step,
                                                               const StepStart& start) {
      return trials(ground, steps[step], step, start);
    };
  }

  // Of a step that is a sweep.
  [[nodiscard]] static std::shared_ptr<PipelineRequest> trials(const SharedGround& ground,
                                                               const StepRequest& request,
                                                               std::size_t step,
                                                               const StepStart& start) {
    if (!ground->graph.steps[step].job.sweep) return nullptr;
    std::vector<PoolHost> hosts;
    for (const PoolShare& share : start.hosts) hosts.push_back({share.host, share.slots});
    const std::string folder = step_folder(ground->call, request.name);
    auto made = trials_of(ground, step, folder, std::move(hosts), start);
    made->record.outputs = request.outputs;
    return made;
  }

  [[nodiscard]] Recording recording() const {
    const JobDraft& draft = ground_->draft;
    Recording record;
    record.name = graph().name.empty() ? stem_of(graph().source) : graph().name;
    record.experiment = draft.experiment.empty() ? graph().experiment : draft.experiment;
    record.folder = ground_->call.record_folder;
    record.tags = draft.tags;
    for (const job::Named& one : graph().tags) {
      const bool is_said = std::ranges::count(record.tags, one.name, &model::Tag::name) > 0;
      if (!is_said) record.tags.push_back({one.name, one.value.text});
    }
    return record;
  }

  std::shared_ptr<Ground> ground_;
  Pool pool_;
  std::map<std::string, std::size_t> numbers_;  // of targets, by how steps name them
  PipelineRequest request_;
};

Result<void> check_options(const Call& call, const JobDraft& draft) {
  if (draft.counts.nodes || draft.counts.per_node) {
    return fail(Fault::usage, "each step says its own; change them in the file",
                "--nodes and --per-node are for single jobs, and this is a pipeline");
  }
  if (!call.record_folder.empty()) return {};
  return fail(Fault::usage, "set MUSTER_RECORDS, or HOME",
              "there is no folder for the record of the pipeline, through which its steps pass on "
              "their outputs");
}

}  // namespace

Result<Reading> read_pipeline_request(const Call& call, const JobDraft& draft,
                                      const std::string& file, const std::string& text) {
  if (auto fine = check_options(call, draft); !fine) return tl::unexpected(fine.error());
  job::PipelineReading read = job::read_pipeline(
      text, file, [&](const std::string& path) { return call.read_file(path, job::kFileMax); });
  if (!read.complaints.empty()) return Reading{.complaints = std::move(read.complaints)};
  const std::string folder = folder_of(absolute(call, file));
  auto known = known_targets(call, folder);
  if (!known) return tl::unexpected(std::move(known.error()));
  if (!known->complaints.empty()) return Reading{.complaints = std::move(known->complaints)};
  std::vector<std::string> sources = job::sources_of(read.pipeline);
  job::Complaints complaints(sources);
  job::Graph graph =
      job::graph_of(read.pipeline, draft.settings, {folder, call.current_folder, {}}, complaints);
  if (!complaints.empty()) return Reading{.complaints = std::move(complaints).take()};
  PipelineReader reader(call, draft, std::move(graph), std::move(sources));
  auto reading =
      read.pipeline.root.is_sweep ? reader.read_sweep(known->targets) : reader.read(known->targets);
  if (reading)
    reading->notices.insert(reading->notices.begin(), read.notices.begin(), read.notices.end());
  return reading;
}

}  // namespace muster::front
