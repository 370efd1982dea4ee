// From a pipeline to its steps' requests: files, targets, hosts that they share, folders.
#include "front/job/pipeline.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/nearest.hpp"
#include "front/job/batch.hpp"
#include "front/job/cluster.hpp"
#include "front/job/environment_files.hpp"
#include "front/job/known_names.hpp"
#include "front/job/place.hpp"
#include "front/job/request.hpp"
#include "front/job/step_facts.hpp"
#include "front/job/step_request.hpp"
#include "front/job/steps_within.hpp"
#include "front/pipeline_request.hpp"
#include "job/graph.hpp"
#include "job/graph_of.hpp"
#include "job/read_pipeline.hpp"
#include "job/yaml.hpp"
#include "spec/in_quotes.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;

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

// "train" of "jobs/train.yml"; of stdin nothing.
std::string stem_of(const std::string& path) {
  const std::string file = path.substr(path.rfind('/') + 1);
  return file == "-" ? "" : file.substr(0, file.rfind('.'));
}

// What is to be told of these steps, once for all of them.
struct StepNotice {
  std::string text;
  std::vector<std::string> steps;
};

std::string in_short(const std::vector<std::string>& steps) {
  constexpr std::size_t kMost = 3;
  if (steps.size() <= kMost) return fmt::format("{}", fmt::join(steps, ", "));
  return fmt::format("{}, {} and {} more steps", steps[0], steps[1], steps.size() - 2);
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
    for (const StepNotice& one : notices_) {
      reading.notices.push_back(fmt::format("{}: {}", in_short(one.steps), one.text));
    }
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
      request->record.outputs.push_back(
          {output.name, job::output_path(output, bases), job::is_file(output), output.overwrite});
    }
    for (StepRequest& trial : request->steps) trial.code = whole.steps.front().code;
    request->detach = whole.detach;
    request->json = whole.json;
    reading->pipeline = std::move(request);
    return reading;
  }

  // Where its steps run in a cluster, all of it does.
  Result<void> send_to_cluster(const std::string& file, Reading& reading) const {
    const bool is_there = ground_->call.is_queued_run;
    const auto in_cluster = [is_there](const PoolPlace& one) {
      const job::Target& target = one.place.target;
      return target.kubernetes || (target.batch && !is_there);
    };
    const auto cluster = std::ranges::find_if(ground_->places, in_cluster);
    if (cluster == ground_->places.end()) return {};
    for (const PoolPlace& other : ground_->places) {
      if (other.place.target.name == cluster->place.target.name) continue;
      return fail(Fault::usage, "choose one for all of it: --target NAME",
                  "steps of the pipeline name the targets {} and {}: one that runs in a cluster "
                  "runs there as a whole",
                  spec::in_quotes(cluster->place.target.name),
                  spec::in_quotes(other.place.target.name));
    }
    job::Complaints complaints(ground_->sources);
    if (cluster->place.target.batch) {
      std::vector<const job::JobFile*> jobs;
      for (const job::GraphStep& step : graph().steps) jobs.push_back(&step.job);
      check_one_run(cluster->place.target, complaints);
      reading.batch =
          batch_request(ground_->call, ground_->draft, file, cluster->place, jobs, complaints);
      reading.complaints = std::move(complaints).take();
      return {};
    }
    std::vector<PodJob> jobs;
    for (const job::GraphStep& step : graph().steps) jobs.push_back({step.name, &step.job});
    reading.cluster =
        cluster_request(ground_->call, ground_->draft, file, cluster->place, jobs, complaints);
    reading.complaints = std::move(complaints).take();
    return {};
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
    // The pipeline may say it as well as the component.
    const std::string& said_in = ground_->sources[name ? name->begin.file : 0];
    auto place = place_of(ground_->call, ground_->draft, {name, said_in}, known, most_nodes(known));
    if (!place) return tl::unexpected(std::move(place.error()));
    request_.uses_job_around |= place->found.source.of_batch_job;
    std::vector<std::size_t> hosts = pool_.add(*place);
    ground_->places.push_back({std::move(*place), std::move(hosts)});
    return {};
  }

  [[nodiscard]] std::uint32_t most_nodes(const job::Targets& known) const {
    std::uint32_t nodes = 1;
    for (const job::GraphStep& step : graph().steps) {
      nodes = std::max(nodes, job::layout_of(step.job, known.instance_types).nodes);
    }
    return nodes;
  }

  void add_step(std::size_t index, Reading& reading) {
    const job::GraphStep& step = graph().steps[index];
    const PoolPlace& where = ground_->places[ground_->place_of_step[index]];
    Reading own = step_reading(*ground_, index, where.place);
    if (step.name.size() > kNameMax) own.complaints.push_back(too_long(step));
    for (base::Error& one : own.complaints) add_new(std::move(one), reading.complaints);
    for (std::string& one : own.notices) note(step.name, std::move(one));
    StepRequest& request = request_.steps.emplace_back();
    request.name = step.name;
    model::PlannedStep& plan = request_.plan.emplace_back(planned_step(step, where));
    plan.retries = step.items.empty() ? ground_->draft.retries : 0;  // items have their own
    if (own.request) request.outputs = own.request->record->outputs;
    request.replaces = step.job.sweep != nullptr;
    if (own.request) request.code = own.request->code;
    if (own.request) request.data = data_of(*own.request);
    for (const auto& [name, made] : step.inputs) tell_needed(made);
    tell_needed(step.items);
    if (step.deterministic && own.request) {
      request.never_reused = never_reused_because(step, plan, *own.request);
      if (request.never_reused.empty()) {
        const job::JobFile bound = *bound_job(*ground_, index);  // nothing is read yet
        request.reuse = facts_of_step(ground_->call, bound, plan, *own.request);
      }
    }
    for (const model::StepCondition& condition : plan.when) {
      for (const std::size_t one : condition.steps) {
        request_.steps[one].control.insert(condition.output);
      }
    }
  }

  void note(const std::string& step, std::string text) {
    const auto known = std::ranges::find(notices_, text, &StepNotice::text);
    if (known == notices_.end()) {
      notices_.push_back({std::move(text), {step}});
    } else if (known->steps.back() != step) {
      known->steps.push_back(step);
    }
  }

  // Those of files and folders that are not below the pipeline's record.
  [[nodiscard]] std::vector<std::string> data_of(const RunRequest& request) const {
    std::vector<std::string> paths;
    for (const DataPath& one : request.data) {
      const std::string& path = one.from.empty() ? one.path : one.from;
      const bool is_own = path.starts_with(ground_->call.record_folder + "/");
      if (!is_own && !job::is_fetched(path)) paths.push_back(path);
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
                    "--skip {}: the pipeline has no such step", spec::in_quotes(name));
      }
    }
    return {};
  }

  void finish() {
    PipelineRequest& request = request_;
    request.hosts = std::move(pool_).hosts();
    for (std::size_t i = 0; i < request.plan.size(); ++i) {
      widen(graph().steps[i], request.hosts, request.plan[i]);
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
    std::set<std::size_t> reusable;
    for (std::size_t i = 0; i < request.steps.size(); ++i) {
      if (request.reuses && request.steps[i].reuse) reusable.insert(i);
    }
    request.request = [ground = ground_, reusable](std::size_t step,
                                                   const StepStart& start) -> Result<RunRequest> {
      const job::Place& place = ground->places[ground->place_of_step[step]].place;
      auto own = request_in(step_reading(*ground, step, narrowed(place, start.hosts), &start));
      if (own && reusable.contains(step)) take_only_what_counts(ground->call, own->spec);
      return own;
    };
    request.within = [ground = ground_](std::size_t step, const StepStart& start) {
      return steps_within(ground, step, start);
    };
  }

  [[nodiscard]] Recording recording() const {
    const JobDraft& draft = ground_->draft;
    Recording record;
    record.name = graph().name.empty() ? stem_of(graph().source) : graph().name;
    record.title = graph().title;
    record.experiment = draft.experiment.empty() ? graph().experiment : draft.experiment;
    record.folder = ground_->call.record_folder;
    record.tags = draft.tags;
    record.overwrites = draft.force;
    for (const job::Named& one : graph().tags) {
      const bool is_said = std::ranges::count(record.tags, one.name, &model::Tag::name) > 0;
      if (!is_said) record.tags.push_back({one.name, one.value.text});
    }
    return record;
  }

  std::shared_ptr<Ground> ground_;
  Pool pool_;
  std::map<std::string, std::size_t> numbers_;  // of targets, by how steps name them
  std::vector<StepNotice> notices_;
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

job::PipelineReading read_with_names(const Call& call, const std::string& file,
                                     const std::string& text, KnownNames& names) {
  const auto read_component = [&](const std::string& path) {
    return call.read_file(path, job::kFileMax);
  };
  return job::read_pipeline(text, file, read_component, names.find_component());
}

Result<Reading> read_pipeline_request(const Call& call, const JobDraft& draft,
                                      const std::string& file, const std::string& text) {
  if (auto fine = check_options(call, draft); !fine) return tl::unexpected(fine.error());
  const std::string folder = folder_of(absolute(call, file));
  const auto known = known_targets(call, folder);
  KnownNames names(call, draft, folder, known);
  job::PipelineReading read = read_with_names(call, file, text, names);
  if (!read.complaints.empty()) return Reading{.complaints = std::move(read.complaints)};
  if (!known) return tl::unexpected(known.error());
  if (!known->complaints.empty()) return Reading{.complaints = known->complaints};
  std::vector<std::string> sources = job::sources_of(read.pipeline);
  job::Complaints complaints(sources);
  const job::Bases bases{folder,        call.current_folder, {}, {}, names.find_data(),
                         home_of(call), run_of(call)};
  job::Graph graph = job::graph_of(read.pipeline, draft.settings, bases, complaints);
  for (job::GraphStep& step : graph.steps) {
    take_environment_files(call, draft, step.folder, names, step.job, complaints);
  }
  if (!complaints.empty()) return Reading{.complaints = std::move(complaints).take()};
  JobDraft own = draft;
  own.leads = names.found();  // for those who read the pipeline elsewhere
  PipelineReader reader(call, own, std::move(graph), std::move(sources));
  auto reading =
      read.pipeline.root.is_sweep ? reader.read_sweep(known->targets) : reader.read(known->targets);
  if (!reading) return reading;
  reading->notices.insert(reading->notices.begin(), read.notices.begin(), read.notices.end());
  names.tell(reading->notices);
  if (!reading->complaints.empty()) return reading;
  reading->pipeline->record.names = names.led();
  if (auto sent = reader.send_to_cluster(file, *reading); !sent) {
    return tl::unexpected(std::move(sent.error()));
  }
  return reading;
}

}  // namespace muster::front
