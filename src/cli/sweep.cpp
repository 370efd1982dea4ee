// Finds earlier trials by the values in their sweep's record.
#include "cli/sweep.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "cli/replace_output.hpp"
#include "cli/speak.hpp"
#include "cli/take_over.hpp"
#include "store/files.hpp"
#include "store/folder.hpp"
#include "store/rank_lines.hpp"
#include "store/reader.hpp"
#include "sweep/sampler.hpp"

namespace muster::cli {
namespace {

using base::Result;
using front::PipelineRequest;
using front::StepRequest;
using Values = std::vector<sweep::Assignment>;

constexpr int kChainMax = 10'000;  // no circle goes on for ever

// What the trials were given, by their names: in the last run that began them.
std::map<std::string, Values> values_before(std::string sweep) {
  std::map<std::string, Values> all;
  for (int i = 0; i < kChainMax && !sweep.empty(); ++i) {
    const auto record = store::read_record(sweep);
    if (!record) break;
    for (const model::StepRecord& step : record->steps) {
      if (step.values.empty() || all.contains(step.name)) continue;
      Values& values = all[step.name];
      for (const model::Tag& one : step.values) values.push_back({one.name, one.value});
    }
    sweep = record->rerun_of;
  }
  return all;
}

// Nothing when the search space has changed, or would give others.
std::optional<sweep::Point> point_before(const sweep::Settings& settings, std::size_t trial,
                                         const Values& values) {
  auto point = sweep::point_with(settings.space, values);
  if (!point || settings.sampling.method == sweep::Method::bayesian) return point;
  const sweep::Point now = sweep::sample(settings, trial, {});
  const bool same = std::ranges::is_permutation(sweep::assignments(settings.space, now), values);
  return same ? std::optional(now) : std::nullopt;
}

// The record of the trial that ran, whose metrics are read again.
std::string ran_in(const std::string& folder) {
  const auto record = store::read_record(folder);
  return !record || record->reused_from.empty() ? folder : record->reused_from;
}

std::string streams_of(const std::string& folder) {
  const auto record = store::read_record(folder);
  return record ? record->streams : "";
}

std::string metrics_of(const std::string& folder) {
  return fmt::format("{}/{}", folder, front::kMetricsFolder);
}

bool has_metrics(const PipelineRequest& request, const std::string& folder) {
  if (!request.sweep->from_output) {
    store::MetricFiles files(metrics_of(ran_in(folder)), request.sweep->metric);
    constexpr int kTurnsMax = 100;  // of 512 KiB
    for (int i = 0; i < kTurnsMax && files.has_more(); ++i) {
      store::Allowance left;
      if (!files.read_new(left).empty()) return true;
    }
    return false;
  }
  const std::string streams = streams_of(folder);
  return !streams.empty() && store::RankLines(streams).is_there();
}

// What the best trial has made becomes the sweep's.
Result<void> keep_outputs(const PipelineRequest& request, std::size_t best) {
  const std::string& name = request.steps[best].name;
  const std::string from = store::step_folder(request.record.folder, name) + "/outputs/";
  for (const model::NamedPath& output : request.record.outputs) {
    auto replaced = replace_output(from + output.name, output.path, request.record.folder);
    if (replaced && !replaced->empty()) {
      say(fmt::format("muster: {} was there before; it is now {}\n", output.path, *replaced));
    }
    if (replaced) continue;
    return base::fail(base::Fault::output, replaced.error().hint,
                      "the output {} of {} is not kept as the sweep's: {}", output.name, name,
                      replaced.error().what);
  }
  return {};
}

}  // namespace

EarlierTrials earlier_trials(const PipelineRequest& request) {
  EarlierTrials earlier;
  if (!request.sweep || request.earlier.empty()) return earlier;
  const auto values = values_before(request.earlier);
  for (std::size_t i = 0; i < request.steps.size(); ++i) {
    const StepRequest& step = request.steps[i];
    const auto own = values.find(step.name);
    auto point =
        own == values.end() ? std::nullopt : point_before(request.sweep->settings, i, own->second);
    if (point) {
      earlier.begun.points.emplace(i, std::move(*point));
      const auto folder = earlier_step(request, step);
      if (folder && has_metrics(request, *folder)) earlier.kept.emplace(i, *folder);
    }
    const bool runs = earlier.kept.contains(i) || request.anew.contains(step.name);
    if (request.only_anew && !runs) earlier.begun.left_out.insert(i);
  }
  return earlier;
}

std::unique_ptr<pipeline::SweepOverseer> overseer_of(const PipelineRequest& request,
                                                     const EarlierTrials& earlier) {
  if (!request.sweep) return nullptr;
  pipeline::SweepPlan plan;
  plan.settings = request.sweep->settings;
  plan.begun = earlier.begun;
  plan.metric = request.sweep->metric;
  plan.from_output = request.sweep->from_output;
  for (const StepRequest& step : request.steps) plan.names.push_back(step.name);
  plan.record = [&request](std::size_t trial) {
    return store::step_folder(request.record.folder, request.steps[trial].name);
  };
  plan.metrics = [record = plan.record, kept = earlier.kept](std::size_t trial) {
    const auto own = kept.find(trial);
    return metrics_of(own == kept.end() ? record(trial) : ran_in(own->second));
  };
  plan.streams = [&request, record = plan.record, kept = earlier.kept](std::size_t trial) {
    const auto own = kept.find(trial);
    if (own != kept.end()) return streams_of(own->second);
    const std::string& logs = request.sweep->logs;
    return logs.empty() ? record(trial) + "/streams" : logs + "/" + request.steps[trial].name;
  };
  plan.keep = [&request](std::size_t best) { return keep_outputs(request, best); };
  return std::make_unique<pipeline::SweepOverseer>(std::move(plan));
}

}  // namespace muster::cli
