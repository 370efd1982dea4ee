// The table of sweeps: the job of a trial, what is varied, and what ends trials.
#include "job/sweep_keys.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "job/command_rows.hpp"

namespace muster::job {
namespace {

template <auto Member>
inline constexpr auto kIntoSweep = into<JobFile, &JobFile::sweep_keys, Member>;

template <auto Member>
void into_parameter(JobFile& job, const Found& found) {
  store(job.sweep_keys.space.back().*Member, found);
}

void set_values(JobFile& job, const Found& found) {
  job.sweep_keys.space.back().values = found.node;
}

// A key with a wrong value has been complained about: it is not missing. Nor is one that is
// misspelt.
std::vector<std::string> keys_meant(const Node& map, JobTable table) {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const JobKey& key : table) names.emplace_back(key.text.name);
  std::vector<std::string> meant;
  constexpr std::size_t kMost = 100;
  const std::size_t most = std::min(map.entries.size(), kMost);
  meant.reserve(most);
  for (std::size_t i = 0; i < most; ++i) {
    const std::string& key = map.entries[i].key;
    const bool is_known = std::ranges::count(names, key) > 0;
    meant.push_back(is_known ? key : base::nearest(key, names).value_or(""));
  }
  return meant;
}

constexpr JobKey kTrialKeys[] = {
    kSchema,
    {{"type", Form::choice, "command: one command, many processes.", {.choices = "command"}}},
    {{"name", Form::text, "The name of its component."}},
    kVersion,
    kDisplayName,
    kDescription,
    {{"tags", Form::anything, "Names and values to find it by."}},
    kProperties,
    kCommand,
    {{"code", Form::text, "The folder in which the command runs."},
     kInto<&JobFile::code>,
     kOlderCode},
    kEnvironment,
    kVariables,
    kUnset,
    kDialects,
    {{"distribution", Form::none, "How a trial is spread over its nodes."},
     nullptr,
     kCommandDistribution},
    {{"resources", Form::none, "What its nodes are."}, nullptr, kCommandResources},
    {{"inputs", Form::anything, "Of a component: what the command may name as inputs."}},
    {{"outputs", Form::anything, "Of a component: folders that the command may name as outputs."}},
    {{"is_deterministic", Form::boolean, "Of a component."}},
    kQueueSettings,
    kIncludes,
    kAzureId,
    kAutoDelete,
};

constexpr JobKey kParameterKeys[] = {
    {{"type",
      Form::choice,
      "How its values are drawn.",
      {.choices = "choice randint uniform quniform loguniform qloguniform normal qnormal lognormal "
                  "qlognormal",
       .any_case = true,
       .required = true}},
     into_parameter<&ParameterKeys::type>},
    {{"values", Form::anything, "choice: a list of texts, or of maps that are search spaces."},
     set_values},
    {{"upper", Form::number, "randint: the first whole number above its values."},
     into_parameter<&ParameterKeys::upper>},
    {{"min_value", Form::number, "The least value; of a log law, its exponent."},
     into_parameter<&ParameterKeys::least>},
    {{"max_value", Form::number, "The largest value; of a log law, its exponent."},
     into_parameter<&ParameterKeys::most>},
    {{"mu", Form::number, "The mean; of a log law, that of its exponent."},
     into_parameter<&ParameterKeys::mu>},
    {{"sigma", Form::number, "The standard deviation; of a log law, that of its exponent."},
     into_parameter<&ParameterKeys::sigma>},
    {{"q", Form::number, "Values are rounded to multiples of it."},
     into_parameter<&ParameterKeys::quantum>},
};

constexpr Traits kMethods = {.choices = "random grid bayesian", .any_case = true, .required = true};

constexpr JobKey kSamplingKeys[] = {
    {{"type", Form::choice, "How points of the search space are chosen.", kMethods},
     kIntoSweep<&SweepKeys::method>},
    {{"seed", Form::number, "The same seed gives the same trials (default 0)."},
     kIntoSweep<&SweepKeys::seed>},
    {{"rule",
      Form::choice,
      "random: sobol fills the space more evenly.",
      {.choices = "random sobol", .any_case = true}},
     kIntoSweep<&SweepKeys::rule>},
    {{"logbase", Form::text, "The base of log laws: a number, or e."},
     kIntoSweep<&SweepKeys::log_base>},
};

constexpr Traits kGoals = {.choices = "minimize maximize", .any_case = true, .required = true};

constexpr JobKey kObjectiveKeys[] = {
    {{"goal", Form::choice, "Whether less or more of the metric is better.", kGoals},
     kIntoSweep<&SweepKeys::goal>},
    {{"primary_metric", Form::text, "The metric that trials are judged by.", {.required = true}},
     kIntoSweep<&SweepKeys::metric>},
};

constexpr JobKey kLimitKeys[] = {
    {{"max_total_trials", Form::count, "How many trials (default 1000)."},
     kIntoSweep<&SweepKeys::trials>},
    {{"max_concurrent_trials", Form::count,
      "How many trials at once (default: as many as the hosts have room for)."},
     kIntoSweep<&SweepKeys::at_once>},
    {{"timeout", Form::number, "Seconds after which the sweep is ended."},
     kIntoSweep<&SweepKeys::timeout>},
    {{"trial_timeout", Form::number, "Seconds after which a trial is ended."},
     kIntoSweep<&SweepKeys::trial_timeout>},
};

constexpr Traits kPolicies = {
    .choices = "bandit median_stopping truncation_selection", .any_case = true, .required = true};

constexpr JobKey kPolicyKeys[] = {
    {{"type", Form::choice, "Which trials are ended early.", kPolicies},
     kIntoSweep<&SweepKeys::policy>},
    {{"evaluation_interval",
      Form::count,
      "Trials are judged at every so manieth report of the metric (default 1).",
      {.least = 0}},
     kIntoSweep<&SweepKeys::interval>},
    {{"delay_evaluation", Form::count, "The first report that is judged.", {.least = 0}},
     kIntoSweep<&SweepKeys::delay>},
    {{"slack_factor", Form::number, "bandit: how much worse than the best, as a ratio."},
     kIntoSweep<&SweepKeys::slack_factor>},
    {{"slack_amount", Form::number, "bandit: how much worse than the best."},
     kIntoSweep<&SweepKeys::slack_amount>},
    {{"truncation_percentage", Form::count, "truncation_selection: how many of 100 are ended."},
     kIntoSweep<&SweepKeys::percentage>},
    {{"exclude_finished_jobs", Form::boolean,
      "truncation_selection: completed trials do not count."},
     kIntoSweep<&SweepKeys::without_completed>},
};

void note_policy(JobFile& job, const Found& found) {
  job.sweep_keys.of_policy = keys_meant(found.node, kPolicyKeys);
}

void set_space(JobFile& job, const Found& found) {
  if (job.sweep_keys.space.empty()) job.sweep_keys.mark = found.key_mark;
  add_parameter(job, found);
}

constexpr JobKey kSweepKeys[] = {
    kSchema,
    {{"type",
      Form::choice,
      "sweep: one job, many times, each with other values.",
      {.choices = "sweep", .any_case = true}}},
    kName,
    kVersion,
    kDisplayName,
    kDescription,
    kComment,
    kTags,
    kProperties,
    kExperiment,
    {{"trial",
      Form::text,
      "What each trial runs: a job, or the file of a component.",
      {.required = true, .fixed = true}},
     nullptr,
     kTrialKeys},
    kInputs,
    kOutputs,
    kCommandCompute,
    {{"resources", Form::none, "What the nodes of a trial are."}, nullptr, kCommandResources},
    {{"search_space", Form::none, "What trials vary.", {.each = true, .required = true}},
     set_space,
     kParameterKeys},
    {{"sampling_algorithm", Form::choice, "How points of the search space are chosen.", kMethods},
     kIntoSweep<&SweepKeys::method>,
     kSamplingKeys},
    {{"objective", Form::none, "What is to be reached.", {.required = true}},
     nullptr,
     kObjectiveKeys},
    {{"limits", Form::none, "How many trials, and for how long."}, nullptr, kLimitKeys},
    {{"early_termination", Form::none, "Which trials are ended early."}, note_policy, kPolicyKeys},
    {{"metrics_from",
      Form::choice,
      "Where metrics are: in MLflow's files, or lines NAME=VALUE of the output.",
      {.choices = "mlflow output"}},
     kIntoSweep<&SweepKeys::metrics_from>},
    kIdentity,
    kServices,
    kQueueSettings,
    kDeterministic,
};

}  // namespace

JobTable sweep_keys() { return kSweepKeys; }
JobTable parameter_keys() { return kParameterKeys; }

void add_parameter(JobFile& job, const Found& found) {
  ParameterKeys& parameter = job.sweep_keys.space.emplace_back();
  parameter.name = found.key;
  parameter.mark = found.key_mark;
  parameter.written = keys_meant(found.node, kParameterKeys);
}

}  // namespace muster::job
