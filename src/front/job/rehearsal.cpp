// Reads the request that a submission would make, and keeps only what is wrong with it.
#include "front/job/rehearsal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "front/call.hpp"
#include "front/job/environment_files.hpp"
#include "front/job/known_names.hpp"
#include "front/job/place.hpp"
#include "front/job/request.hpp"
#include "front/job/run_folder.hpp"
#include "front/targets.hpp"
#include "job/container_of.hpp"
#include "job/graph.hpp"
#include "job/graph_of.hpp"
#include "job/input_type.hpp"
#include "job/names.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

// A value of the input's type, in whose place any may come. With a '$' in it, a launcher's words
// are not judged.
std::string any_value(const job::Input& input, job::Dialect dialect) {
  switch (job::type_of(input, dialect).value_or(job::InputType::text)) {
    case job::InputType::integer:
    case job::InputType::number:
      return input.least ? input.least->text : input.most ? input.most->text : "1";
    case job::InputType::boolean:
      return "true";
    case job::InputType::choice:
      return input.choices.empty() ? "" : input.choices.front().text;
    case job::InputType::path:
      return "/INPUT";
    case job::InputType::text:
      break;
  }
  return "$INPUT";
}

bool is_missing(const job::Input& input) { return !input.value && !input.optional; }

// Whether a value that any_value() makes up, or that each trial has its own of, may be one of a
// launcher's counts.
bool lacks_counts(const job::JobFile& job) {
  return std::ranges::any_of(job.inputs, [&](const job::Input& input) {
    const auto type = job::type_of(input, job.dialect).value_or(job::InputType::text);
    const bool is_text = type == job::InputType::text || type == job::InputType::path;
    return input.swept || (is_missing(input) && !is_text);
  });
}

void give_missing(job::JobFile& job) {
  for (job::Input& input : job.inputs) {
    if (!is_missing(input)) continue;
    input.value = job::Text{any_value(input, job.dialect), input.mark, input.mark, true};
    input.swept = false;
  }
}

// Paths in the places of what other steps make.
void give_outputs(job::GraphStep& step) {
  for (job::Input& input : step.job.inputs) {
    if (!step.inputs.contains(input.name)) continue;
    input.value = job::Text{"/OUTPUT", input.mark, input.mark, true};
  }
}

// The target decides whether it gives software of which nothing is known here, and whether images
// are used at all.
void leave_to_target(job::JobFile& job) {
  job.environment.clear();
  job.environment_name.reset();
  for (job::Role* role : {&job.workers, &job.servers}) role->environment.reset();
  if (!job.conda) return;
  job.image.reset();
  job.build.reset();
}

// Such a target has hosts of its own, and what lies on them is not known here.
bool is_for_others(const job::JobFile& job, const job::Targets& known) {
  const auto target = job::choose_target(known, job.target ? job.target->text : "");
  return target &&
         (!target->hosts.empty() || target->hostfile || target->kubernetes || target->batch);
}

// As muster submit has it, which carries out the job there.
bool may_have_code(const job::Target& target) {
  const bool has_hosts = !target.hosts.empty() || target.hostfile;
  return (has_hosts && !target.batch && !target.kubernetes) ||
         (target.kubernetes && has_own_code(target));
}

// Whether the target's hosts must have the code, since this machine does not: that is told.
bool is_code_of_others(const Call& call, const JobSource& source, const job::Targets& known,
                       std::vector<std::string>& notices) {
  const job::JobFile& job = source.job;
  const auto target = job::choose_target(known, job.target ? job.target->text : "");
  const bool is_theirs = target && may_have_code(*target) && lacks_code(call, job, source.folder);
  if (is_theirs) {
    add_once(notices, fmt::format("the folder of the code is not on this machine: {}; target {} "
                                  "must have it",
                                  spec::in_quotes(job.code->text), spec::in_quotes(target->name)));
  }
  return is_theirs;
}

// Nobody needs to know it where no environment is looked for.
void tell_of_software(const job::JobFile& job, const job::Targets& known,
                      std::vector<std::string>& notices) {
  const auto target = job::choose_target(known, job.target ? job.target->text : "");
  if (!target || job::goes_without(*target, "environment") || target->image) return;
  for (const job::Text* one : job::software_of(job)) {
    add_once(notices,
             fmt::format("no image is known for the environment {}; name one with {} or with "
                         "--image, or run without it: --without environment",
                         spec::in_quotes(one->text),
                         job::how_to_say(job::Asset::environment, one->text)));
  }
}

// Another machine's muster.yml may describe it.
void tell_of_target(const job::JobFile& job, const job::Targets& known,
                    std::vector<std::string>& notices) {
  if (!job.target || job.target->text.empty()) return;
  const auto target = job::choose_target(known, job.target->text);
  if (target) return;
  add_once(notices, fmt::format("{} here; muster submit would stop: {}", target.error().what,
                                target.error().hint));
}

// Returns the job's outputs, as far as they are known.
std::vector<model::NamedPath> request(Call call, const JobDraft& draft, const job::Targets& known,
                                      JobSource source, std::vector<std::string>& notices,
                                      job::Complaints& complaints) {
  job::JobFile& job = source.job;
  source.comes_later |= is_code_of_others(call, source, known, notices);
  source.is_rehearsed = true;
  source.comes_later = source.comes_later || (!job.code && is_for_others(job, known));
  source.has_open_counts |= lacks_counts(job);
  job.secrets.clear();
  job.checkpoints.reset();
  leave_to_target(job);
  give_missing(job);
  JobDraft own = draft;
  own.fake_nodes = job::layout_of(job).nodes;
  own.without = {"gpus"};
  auto place = place_of(call, own, {{}, job.source}, {}, own.fake_nodes);
  if (!place) {
    complaints.add({place.error()});
    return {};
  }
  place->instance_types = known.instance_types;
  if (call.record_folder.empty()) call.record_folder = "/<run>";
  Reading reading = job_request(call, own, std::move(source), *place);
  complaints.add(std::move(reading.complaints));
  for (std::string& told : reading.notices) add_once(notices, std::move(told));
  const bool is_known = reading.request && reading.request->record;
  return is_known ? std::move(reading.request->record->outputs) : std::vector<model::NamedPath>();
}

}  // namespace

Rehearsal rehearse(const Call& call, const JobDraft& draft, const std::string& file,
                   job::JobFile job) {
  const std::string folder = folder_of(absolute(call, file));
  const auto known = known_targets(call, folder);
  if (!known) return {{known.error()}, {}};
  if (!known->complaints.empty()) return {known->complaints, {}};
  KnownNames names(call, draft, folder, known);
  job::Complaints complaints(file);
  take_environment_files(call, draft, folder, names, job, complaints);
  if (!complaints.empty()) return {std::move(complaints).take(), {}};
  Rehearsal rehearsal;
  tell_of_target(job, known->targets, rehearsal.notices);
  if (draft.image.empty()) tell_of_software(job, known->targets, rehearsal.notices);
  rehearsal.outputs =
      request(call, draft, known->targets, {std::move(job), folder, {}, {}, names.find_data()},
              rehearsal.notices, complaints);
  rehearsal.complaints = std::move(complaints).take();
  return rehearsal;
}

Rehearsal rehearse(const Call& call, const JobDraft& draft, const std::string& folder,
                   job::PipelineFile pipeline, const job::Targets& known, KnownNames& names) {
  const std::vector<std::string> sources = job::sources_of(pipeline);
  job::Complaints complaints(sources);
  const job::Bases bases{folder,        call.current_folder, {}, {}, names.find_data(),
                         home_of(call), run_of(call)};
  const bool has_open_counts = lacks_counts(pipeline.root.head);
  give_missing(pipeline.root.head);
  job::Graph graph = job::graph_of(pipeline, draft.settings, bases, complaints);
  for (job::GraphStep& step : graph.steps) {
    take_environment_files(call, draft, step.folder, names, step.job, complaints);
  }
  if (!complaints.empty()) return {std::move(complaints).take(), {}};
  Rehearsal rehearsal;
  JobDraft of_step = draft;
  of_step.settings.clear();
  for (job::GraphStep& step : graph.steps) {
    give_outputs(step);
    JobSource source{std::move(step.job), step.folder, {}, sources};
    source.comes_later = !step.after.empty() || !step.when.empty();
    source.has_open_counts = has_open_counts;
    if (!source.job.target) source.job.target = graph.target;
    tell_of_target(source.job, known, rehearsal.notices);
    tell_of_software(source.job, known, rehearsal.notices);
    std::ranges::move(
        request(call, of_step, known, std::move(source), rehearsal.notices, complaints),
        std::back_inserter(rehearsal.outputs));
  }
  rehearsal.complaints = std::move(complaints).take();
  return rehearsal;
}

}  // namespace muster::front
