// Makes pipelines of what runs within one step.
#include "front/job/steps_within.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <utility>

#include "front/job/metrics.hpp"
#include "front/job/request.hpp"
#include "front/job/step_request.hpp"
#include "job/control.hpp"
#include "job/sweep_of.hpp"
#include "spec/in_quotes.hpp"
#include "sweep/sampler.hpp"

namespace muster::front {
namespace {

using base::Result;

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

// Hosts that do not see the record send it home where it is `wanted`.
void keep_metrics_of_trial(const std::string& record, bool wanted, RunRequest& request) {
  if (!keep_metrics(record, request.spec) || !wanted) return;
  request.record->metrics = true;
  // Not the folder itself: where it is there, MLflow takes it for one that has its experiment, too.
  if (!request.spec.hosts.empty()) request.spec.folders.push_back(record);
}

// A trial's outputs lie in its own record: those of the best one are copied to where the sweep's
// are. Its script finds MLflow's files through the variable that MLflow knows.
Result<RunRequest> trial_request(const Ground& ground, std::size_t step,
                                 const std::string& sweep_folder, const std::string& name,
                                 const StepStart& start,
                                 const std::vector<sweep::Assignment>& values) {
  const job::GraphStep& one = ground.graph.steps[step];
  job::JobFile job = *bound_job(ground, step, &start);  // steps_within() has read its values
  job::assign(job, values);
  for (job::Output& output : job.outputs) output.path.reset();
  Call call = ground.call;
  call.record_folder = fmt::format("{}/steps/{}", sweep_folder, name);
  const job::Place& place = ground.places[ground.place_of_step[step]].place;
  JobSource source{std::move(job), one.folder, {}, ground.sources};
  source.has_open_counts = true;  // its own launcher tells what values it cannot start with
  auto request =
      request_in(with_inherited(ground, call,
                                job_request(call, draft_of_trial(ground, step, sweep_folder, name),
                                            std::move(source), narrowed(place, start.hosts))));
  if (!request) return request;
  request->record->name = name;
  keep_metrics_of_trial(call.record_folder, !one.job.sweep->from_output, *request);
  return request;
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
void widen_for_trials(const sweep::Settings& settings, const std::vector<PoolHost>& pool,
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

// In a pipeline of its own, on some of the hosts.
model::PlannedStep alone(model::PlannedStep plan, std::size_t hosts) {
  plan.after.clear();
  plan.anyway = false;
  plan.when.clear();
  plan.any_of.clear();
  plan.hosts.clear();
  plan.nodes = std::min(plan.nodes, static_cast<std::uint32_t>(hosts));
  return plan;
}

// The body's job with what an item gives it.
job::JobFile item_job(const Ground& ground, std::size_t step, const StepStart& start,
                      const job::Item& item, job::Complaints& complaints) {
  const job::GraphStep& one = ground.graph.steps[step];
  job::JobFile job = *bound_job(ground, step, &start);  // steps_within() has read its values
  for (job::Input& input : job.inputs) input.swept = false;
  for (const job::Named& given : item.values) {
    const auto input = std::ranges::find(job.inputs, given.name, &job::Input::name);
    if (input == job.inputs.end()) {
      complaints.add(one.mark,
                     fmt::format("item {}: the step {} has no input {}", item.name, one.name,
                                 spec::in_quotes(given.name)),
                     "");
      continue;
    }
    input->value = given.value;
  }
  for (job::Output& output : job.outputs) output.path.reset();
  return job;
}

Reading item_reading(const Ground& ground, std::size_t step, const std::string& folder,
                     const StepStart& start, const job::Item& item) {
  const job::GraphStep& one = ground.graph.steps[step];
  job::Complaints complaints(ground.sources);
  job::JobFile job = item_job(ground, step, start, item, complaints);
  if (!complaints.empty()) return Reading{.complaints = std::move(complaints).take()};
  Call call = ground.call;
  call.record_folder = fmt::format("{}/steps/{}", folder, item.name);
  const job::Place& place = ground.places[ground.place_of_step[step]].place;
  Reading reading = with_inherited(
      ground, call,
      job_request(call, draft_of_step(ground.draft, item.name),
                  {std::move(job), one.folder, {}, ground.sources}, narrowed(place, start.hosts)));
  if (reading.request) reading.request->record->name = item.name;
  return reading;
}

Result<std::shared_ptr<PipelineRequest>> items_of(const SharedGround& ground, std::size_t step,
                                                  const std::string& folder,
                                                  std::vector<PoolHost> hosts, StepStart start) {
  const job::GraphStep& one = ground->graph.steps[step];
  job::Complaints complaints(ground->sources);
  const std::string path = path_of(*ground, the_one(one.items, start.chosen));
  const auto text = start.read(path);
  if (!text) complaints.add(one.mark, one.name + ": " + text.error().what, text.error().hint);
  std::vector<job::Item> items =
      text ? job::items_in(*text, one.mark, complaints) : std::vector<job::Item>();
  if (!complaints.empty()) return tl::unexpected(std::move(complaints).take().front());
  auto request = std::make_shared<PipelineRequest>();
  for (const job::Item& item : items) {
    Reading reading = item_reading(*ground, step, folder, start, item);
    if (!reading.request) return tl::unexpected(std::move(reading.complaints.front()));
    StepRequest& own = request->steps.emplace_back();
    own.name = item.name;
    own.outputs = reading.request->record->outputs;
    request->plan.push_back(
        alone(planned_step(one, ground->places[ground->place_of_step[step]]), hosts.size()));
    request->plan.back().retries = ground->draft.retries;
  }
  request->hosts = std::move(hosts);
  request->at_once = ground->draft.at_once;
  request->goes_on = ground->graph.goes_on;
  request->record.folder = folder;
  request->record.name = one.name;
  request->record.experiment = ground->graph.experiment;
  request->request = [ground, step, folder, start = std::move(start), items = std::move(items)](
                         std::size_t item, const StepStart& now) -> Result<RunRequest> {
    StepStart own = start;
    own.hosts = now.hosts;
    return request_in(item_reading(*ground, step, folder, own, items[item]));
  };
  return request;
}

// How many there will be is not known: it gets all that its hosts have.
void take_all(const std::vector<PoolHost>& pool, model::PlannedStep& plan) {
  plan.nodes = static_cast<std::uint32_t>(plan.hosts.size());
  for (const std::size_t host : plan.hosts) plan.slots = std::max(plan.slots, pool[host].slots);
}

}  // namespace

std::shared_ptr<PipelineRequest> trials_of(const SharedGround& ground, std::size_t step,
                                           const std::string& folder, std::vector<PoolHost> hosts,
                                           StepStart start) {
  const job::GraphStep& one = ground->graph.steps[step];
  const model::PlannedStep plan =
      alone(planned_step(one, ground->places[ground->place_of_step[step]]), hosts.size());
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

Result<std::shared_ptr<PipelineRequest>> steps_within(const SharedGround& ground, std::size_t step,
                                                      const StepStart& start) {
  const job::GraphStep& one = ground->graph.steps[step];
  std::vector<PoolHost> hosts;
  for (const PoolShare& share : start.hosts) hosts.push_back({share.host, share.slots});
  const std::string folder = step_folder(ground->call, one.name);
  if (one.items.empty() && !one.job.sweep) return nullptr;
  auto bound = bound_job(*ground, step, &start);
  if (!bound) return tl::unexpected(std::move(bound.error()));
  if (!one.items.empty()) return items_of(ground, step, folder, std::move(hosts), start);
  auto made = trials_of(ground, step, folder, std::move(hosts), start);
  for (const job::Output& output : one.job.outputs) {
    const std::string path = path_of(*ground, {step, output.name});
    made->record.outputs.push_back({output.name, path, job::is_file(output), output.overwrite});
  }
  made->record.overwrites = ground->draft.force;
  return made;
}

void widen(const job::GraphStep& step, const std::vector<PoolHost>& pool,
           model::PlannedStep& plan) {
  if (step.job.sweep) widen_for_trials(step.job.sweep->settings, pool, plan);
  if (!step.items.empty()) take_all(pool, plan);
}

}  // namespace muster::front
