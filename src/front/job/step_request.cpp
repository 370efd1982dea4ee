// Makes the requests of steps, with the paths and values of what other steps make.
#include "front/job/step_request.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "front/inherited.hpp"
#include "front/job/request.hpp"
#include "front/job/run_folder.hpp"
#include "front/targets.hpp"
#include "job/input_type.hpp"
#include "job/layout.hpp"

namespace muster::front {
namespace {

bool stands_for_value(const Ground& ground, const job::Input& input, job::Dialect dialect,
                      const job::StepOutput& made) {
  const auto& outputs = ground.graph.steps[made.step].job.outputs;
  const auto found = std::ranges::find(outputs, made.output, &job::Output::name);
  const bool wants_path = input.type && job::type_of(input, dialect) == job::InputType::path;
  return found != outputs.end() && job::is_value(*found) && !wants_path;
}

std::vector<std::size_t> steps_of(const job::MadeBy& made) {
  std::vector<std::size_t> steps;
  for (const job::StepOutput& one : made) steps.push_back(one.step);
  return steps;
}

// Those that were read from what other steps have written.
void check_values(const Ground& ground, std::size_t step, const job::JobFile& job,
                  job::Complaints& complaints) {
  const job::GraphStep& one = ground.graph.steps[step];
  for (const job::Input& input : job.inputs) {
    const bool is_read = one.inputs.contains(input.name) && !input.is_path;
    const auto type = job::type_of(input, job.dialect);
    if (!is_read || !type) continue;
    const std::string& text = input.value->text;
    auto wrong = text.find('\0') == std::string::npos
                     ? job::misfit(input, *type, text)
                     : job::Misfit{"must be text, not bytes with a zero among them", ""};
    if (!wrong) continue;
    complaints.add(input.mark, fmt::format("{}.inputs.{} {}", one.name, input.name, wrong->what),
                   std::move(wrong->hint));
  }
}

}  // namespace

base::Result<RunRequest> request_in(Reading reading) {
  if (!reading.request) return tl::unexpected(std::move(reading.complaints.front()));
  return std::move(*reading.request);
}

std::string step_folder(const Call& call, const std::string& name) {
  return fmt::format("{}/steps/{}", call.record_folder, name);
}

job::Bases bases_of_step(const Ground& ground, std::size_t step) {
  const job::GraphStep& one = ground.graph.steps[step];
  const std::string record = step_folder(ground.call, one.name);
  job::Bases bases{one.folder, one.folder, record + "/outputs", {}};
  bases.runs_in = runs_in(ground.draft, one.job, record);
  return bases;
}

std::string path_of(const Ground& ground, const job::StepOutput& output) {
  const job::GraphStep& maker = ground.graph.steps[output.step];
  const auto& outputs = maker.job.outputs;
  const auto found = std::ranges::find(outputs, output.output, &job::Output::name);
  return found == outputs.end() ? "" : job::output_path(*found, bases_of_step(ground, output.step));
}

const job::StepOutput& the_one(const job::MadeBy& made, std::span<const std::size_t> chosen) {
  const auto counts = [&](const job::StepOutput& one) {
    return std::ranges::find(chosen, one.step) != chosen.end();
  };
  const auto found = std::ranges::find_if(made, counts);
  return found == made.end() ? made.front() : *found;
}

base::Result<job::JobFile> bound_job(const Ground& ground, std::size_t step,
                                     const StepStart* start) {
  const job::GraphStep& one = ground.graph.steps[step];
  job::Complaints complaints(ground.sources);
  job::JobFile job = one.job;
  for (job::Input& input : job.inputs) {
    const auto from = one.inputs.find(input.name);
    if (from == one.inputs.end()) continue;
    base::Result<std::string> text = path_of(
        ground, the_one(from->second, start ? start->chosen : std::span<const std::size_t>()));
    input.is_path = !stands_for_value(ground, input, job.dialect, from->second.front());
    if (start != nullptr && !input.is_path) text = start->read(*text);
    if (!text) {
      complaints.add(input.mark,
                     fmt::format("{}.inputs.{}: {}", one.name, input.name, text.error().what),
                     text.error().hint);
      continue;
    }
    input.value = job::Text{std::move(*text), input.mark, input.mark, true};
    input.mode.reset();  // it goes to hosts that do not see it, to the same path
  }
  if (!complaints.empty()) return tl::unexpected(std::move(complaints).take().front());
  return job;
}

JobDraft draft_of_step(const JobDraft& draft, const std::string& name) {
  JobDraft own = draft;
  own.settings.clear();
  if (!own.output.logs.empty()) own.output.logs += "/" + name;
  own.detach = own.json = false;
  return own;
}

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

Reading with_inherited(const Ground& ground, const Call& call, Reading reading) {
  if (!reading.request) return reading;
  RunRequest& request = *reading.request;
  const std::string folder = folder_of(absolute(call, ground.sources.front()));  // the pipeline's
  auto taken = take_inherited_settings(call, request.said_reach, request.spec, folder);
  return taken ? std::move(reading) : Reading{.complaints = {std::move(taken.error())}};
}

Reading step_reading(const Ground& ground, std::size_t step, const job::Place& place,
                     const StepStart* start) {
  const job::GraphStep& one = ground.graph.steps[step];
  auto bound = bound_job(ground, step, start);
  if (!bound) return Reading{.complaints = {std::move(bound.error())}};
  job::JobFile job = std::move(*bound);
  job::Complaints complaints(ground.sources);
  if (start != nullptr) check_values(ground, step, job, complaints);
  if (!complaints.empty()) return Reading{.complaints = std::move(complaints).take()};
  Call call = ground.call;
  call.record_folder = step_folder(ground.call, one.name);
  if (start != nullptr) call.is_file = {};  // the code has been copied, and may be gone by now
  JobSource source{std::move(job), one.folder, {}, ground.sources};
  source.has_open_counts = (start == nullptr && !one.inputs.empty()) ||
                           std::ranges::any_of(source.job.inputs, &job::Input::swept);
  source.comes_later = !one.after.empty() || !one.when.empty() ||
                       std::ranges::count(ground.draft.skipped, one.name) > 0;
  Reading reading = with_inherited(
      ground, call,
      job_request(call, draft_of_step(ground.draft, one.name), std::move(source), place));
  if (!reading.request) return reading;
  Recording& record = *reading.request->record;
  record.name = one.name;
  if (record.experiment.empty()) record.experiment = ground.graph.experiment;
  return reading;
}

model::PlannedStep planned_step(const job::GraphStep& step, const PoolPlace& where) {
  job::Layout layout = job::layout_of(step.job, where.place.instance_types);
  const std::size_t has = where.hosts.size();
  (void)job::share_nodes(step.job, has, layout);
  model::PlannedStep plan;
  plan.after = step.after;
  plan.anyway = step.anyway;
  plan.nodes = std::min(layout.nodes, static_cast<std::uint32_t>(has));
  plan.slots = std::max(layout.per_node, layout.launches ? layout.slots : 1);
  plan.hosts = where.hosts;
  for (const auto& [name, made] : step.inputs) {
    if (made.size() > 1) plan.any_of.push_back(steps_of(made));
  }
  if (step.items.size() > 1) plan.any_of.push_back(steps_of(step.items));
  for (const job::Condition& one : step.when) {
    plan.when.push_back({steps_of(one.output), one.output.front().output, one.is});
  }
  return plan;
}

}  // namespace muster::front
