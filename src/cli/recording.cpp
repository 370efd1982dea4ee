// Gathers what a record holds.
#include "cli/recording.hpp"

#include <algorithm>

#include "base/variables.hpp"
#include "cli/detached.hpp"
#include "cli/left_variables.hpp"
#include "cli/speak.hpp"
#include "front/output_styles.hpp"
#include "model/environment_rule.hpp"
#include "plan/plan.hpp"
#include "store/folder.hpp"
#include "sweep/metric_text.hpp"
#include "view/plan.hpp"

namespace muster::cli {
namespace {

// Two files for each rank are open at the same time.
constexpr std::size_t kStreamsMax = 2000;
// The head writes the plan while it should listen: this many ranks take it a tenth of a second.
constexpr std::size_t kPlanMax = 100'000;

std::vector<std::string> hosts_of(const model::Plan& plan) {
  std::vector<std::string> hosts;
  hosts.reserve(plan.nodes.size());
  for (const model::PlannedNode& node : plan.nodes) hosts.push_back(node.host.name);
  return hosts;
}

// The plan's, then those of a launcher in the command.
std::vector<std::string> all_hosts_of(const model::JobSpec& spec, const model::Plan& plan) {
  std::vector<std::string> hosts = hosts_of(plan);
  for (const std::string& line : view::launcher_hosts(spec)) {
    const std::string name = line.substr(0, line.find(' '));
    if (!std::ranges::count(hosts, name)) hosts.push_back(name);
  }
  return hosts;
}

// Without the environment of the ranks, in which people keep what is secret.
std::function<std::string()> plan_text(const model::JobSpec& spec, const model::Plan& plan,
                                       const std::vector<model::NamedPath>& outputs) {
  if (plan.ranks.size() > kPlanMax) return [] { return std::string("{}\n"); };
  const auto kept = std::make_shared<const std::pair<model::JobSpec, model::Plan>>(spec, plan);
  return [kept, outputs] {
    view::PlanWords words{kept->first, kept->second, {}};
    words.reason = [&](base::Rank rank) { return plan::reason(kept->second, rank); };
    words.outputs = outputs;
    std::string text;
    view::plan_json(words, [&](std::string_view piece) {
      text += piece;
      return true;
    });
    return text;
  };
}

// It goes on from what its pipeline says.
bool is_step(const std::string& folder) {
  return store::run_of(folder).find('/') != std::string::npos;
}

void write_streams(model::OutputSpec& output, const std::string& folder) {
  const model::OutputSpec kept = front::muster_output({.logs = folder});
  output.out_file = kept.out_file;
  output.err_file = kept.err_file;
}

bool is_given(const plan::Forwarded& app, std::string_view name) {
  return std::ranges::find(app.kept, name, &model::Variable::name) != app.kept.end();
}

void give(plan::Forwarded& app, std::string_view name, std::string value) {
  if (is_given(app, name)) return;
  const auto place = std::ranges::lower_bound(app.kept, name, {}, &model::Variable::name);
  app.kept.insert(place, {std::string(name), std::move(value), std::string(kOfMlflow)});
}

// Who names a run or an experiment by its number means the place that has it: MLflow's own.
bool says_where(const plan::Forwarded& app) {
  constexpr std::string_view kNames[] = {front::kTrackingUri, "MLFLOW_RUN_ID",
                                         "MLFLOW_EXPERIMENT_ID"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return is_given(app, name); });
}

bool says_nothing_of_mlflow(const model::EnvironmentRule& rule) {
  return model::is_silent(rule, kOfMlflow) || model::is_unset(rule, front::kTrackingUri);
}

// A container sees the same folders on every host.
bool has_ranks_here(const Prospect& job) {
  const auto is_here = [](const model::PlannedNode& node) {
    return node.host.carrier.same_machine;
  };
  const auto& nodes = job.plan.nodes;
  return job.spec.container ? std::ranges::all_of(nodes, is_here)
                            : std::ranges::any_of(nodes, is_here);
}

// A launcher in a rank logs where that rank does, which ranks on other hosts cannot: their files
// would stay there.
void keep_metrics_here(const std::vector<std::string>& environment, plan::Kept& kept) {
  if (!record_with_metrics(environment)) return;
  for (plan::Forwarded& app : kept.elsewhere) {
    std::erase_if(app.kept, [](const model::Variable& one) {
      return one.name == front::kTrackingUri || one.name == front::kAllowFileStore;
    });
  }
}

}  // namespace

bool log_to_record(const front::RunRequest& request, const std::vector<std::string>& environment,
                   Prospect& job) {
  keep_metrics_here(environment, job.kept);
  const bool is_job = !job.spec.launchers.empty();
  if (is_job || !request.record || request.record->folder.empty()) return false;
  if (says_nothing_of_mlflow(job.spec.environment) || !has_ranks_here(job)) return false;
  if (!base::value_of(environment, front::kTrackingUri).empty()) return false;
  // The name of a run that is only planned is nobody's.
  const std::string& own = request.record->folder;
  const std::string folder = request.dry_run ? own.substr(0, own.rfind('/')) + "/<run>" : own;
  bool is_told = false;
  for (plan::Forwarded& app : job.kept.same_machine) {
    if (says_where(app)) continue;
    give(app, front::kTrackingUri,
         sweep::file_uri(fmt::format("{}/{}", folder, front::kMetricsFolder)));
    give(app, front::kAllowFileStore, "true");
    is_told = true;
  }
  return is_told;
}

void keep_out_of(const std::string& record, plan::Kept& kept) {
  const std::string there = sweep::file_uri(record);
  for (auto* machine : {&kept.same_machine, &kept.elsewhere}) {
    for (plan::Forwarded& app : *machine) {
      std::erase_if(app.kept, [&](const model::Variable& one) {
        return one.name == front::kTrackingUri && one.value.starts_with(there);
      });
    }
  }
}

std::unique_ptr<head::Recorder> recorder_of(const front::RunRequest& request,
                                            const model::JobSpec& spec, const model::Plan& plan,
                                            const model::Plan* inner,
                                            const Invocation& invocation) {
  if (!request.record || request.record->folder.empty()) return nullptr;
  head::RecorderOptions options;
  options.record.folder = request.record->folder;
  options.record.name = request.record->name;
  options.record.title = request.record->title;
  options.record.experiment = request.record->experiment;
  options.record.hosts = inner != nullptr ? hosts_of(*inner) : all_hosts_of(spec, plan);
  options.record.launched = inner != nullptr ? static_cast<std::uint32_t>(inner->ranks.size()) : 0;
  options.hosts = hosts_of(plan);
  options.record.ranks = static_cast<std::uint32_t>(plan.ranks.size());
  options.record.command = spec.apps.front().command;
  options.record.outputs = request.record->outputs;
  options.record.tags = request.record->tags;
  options.record.streams = request.record->streams;
  options.record.scheduler = request.record->scheduler;
  options.record.created = request.record->submitted;
  if (!is_step(request.record->folder) && request.checkpoints) {
    options.record.rerun_of = request.checkpoints->earlier;
  }
  options.asked = request.record->asked;
  options.plan = plan_text(spec, plan, request.record->outputs);
  options.version = MUSTER_VERSION;
  const int waits = std::max(invocation.parent, invocation.announce);
  if (waits >= 0) options.running = [waits] { tell_running(waits); };
  return std::make_unique<head::Recorder>(std::move(options));
}

int check_record(const head::Recorder& recorder) {
  const auto& failure = recorder.failure();
  if (!failure) return 0;
  warn(fmt::format("{}{}", failure->what, failure->hint.empty() ? "" : "; " + failure->hint));
  return failure->fault == base::Fault::output ? base::exit_code(base::Fault::output) : 0;
}

base::Result<void> begin_recording(head::Recorder& recorder, model::JobSpec& spec,
                                   const model::Plan& plan, const Invocation& invocation) {
  const bool keeps = spec.output.out_file.empty() && plan.ranks.size() <= kStreamsMax;
  if (keeps) recorder.set_streams(recorder.record().folder + "/streams");
  return recorder.begin().and_then([&]() -> base::Result<void> {
    if (keeps) write_streams(spec.output, recorder.record().streams);
    if (invocation.parent < 0) return {};
    if (!recorder.record().streams.empty()) {
      spec.output.routes.out.console = spec.output.routes.err.console = false;
    }
    return go_on_unseen(invocation.parent, recorder.record());
  });
}

}  // namespace muster::cli
