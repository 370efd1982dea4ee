// Sweeps: what their files say ends up in the settings of their trials, and as inputs of the job.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

#include "job/graph_of.hpp"
#include "job/read_pipeline.hpp"
#include "job/sweep_of.hpp"
#include "sweep/sampler.hpp"

namespace muster::job::sweep_files {
namespace {

using Files = std::map<std::string, std::string>;

PipelineReading read(const std::string& text, const Files& files = {}) {
  return read_pipeline(text, "s.yml", [&](const std::string& path) -> base::Result<std::string> {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return base::fail(base::Fault::bad_file, "", "there is no {}", path);
  });
}

// The sweep of a file that has nothing but it.
JobFile good(const std::string& text, const Files& files = {}) {
  PipelineReading reading = read(text, files);
  for (const base::Error& error : reading.complaints) ADD_FAILURE() << to_string(error);
  EXPECT_TRUE(reading.pipeline.root.is_sweep);
  if (reading.pipeline.root.steps.empty()) return {};
  return reading.pipeline.root.steps.front().job;
}

std::string wrong(const std::string& text, const Files& files = {}) {
  std::string said;
  for (const base::Error& error : read(text, files).complaints) said += to_string(error) + "\n";
  return said;
}

constexpr const char* kHead = R"(
type: sweep
trial: {command: "train --lr ${{search_space.lr}}"}
objective: {goal: minimize, primary_metric: loss}
limits: {max_total_trials: 4, max_concurrent_trials: 2, timeout: 3600, trial_timeout: 90.5}
)";

std::string with(const std::string& more) { return kHead + more; }

constexpr const char* kRate = R"(
search_space: {lr: {type: uniform, min_value: 0.1, max_value: 1}}
)";

TEST(ReadSweep, LikeTheExamplesOfAzureMl) {
  const JobFile job = good(R"(
$schema: https://azuremlschemas.azureedge.net/latest/sweepJob.schema.json
type: sweep
trial:
  command: >-
    python hello.py --A ${{inputs.A}} --B ${{search_space.B}} --C ${{search_space.C}}
  code: src
  environment: azureml:sklearn-1.0@latest
inputs: {A: 0.5}
sampling_algorithm: random
search_space:
  B: {type: choice, values: ["hello", "world", "hello_world"]}
  C: {type: uniform, min_value: 0.1, max_value: 1.0}
objective: {goal: minimize, primary_metric: random_metric}
limits: {max_total_trials: 4, max_concurrent_trials: 2, timeout: 3600}
display_name: hello-sweep
experiment_name: hello-sweep
)");
  EXPECT_EQ(job.code->text, "src");
  EXPECT_EQ(job.experiment->text, "hello-sweep");
  const SweepFile& sweep = *job.sweep;
  EXPECT_EQ(sweep.metric, "random_metric");
  EXPECT_FALSE(sweep.from_output);
  EXPECT_EQ(sweep.settings.sampling, sweep::Sampling{});
  EXPECT_EQ(sweep.settings.limits.trials, 4U);
  EXPECT_EQ(sweep.settings.limits.at_once, 2U);
  EXPECT_EQ(sweep.settings.limits.whole, std::chrono::hours(1));
  EXPECT_EQ(sweep.settings.limits.one, std::nullopt);
  EXPECT_EQ(sweep.settings.space,
            (sweep::Space{{"B",
                           sweep::Law::choice,
                           0,
                           1,
                           0,
                           0,
                           {{"hello", {}}, {"world", {}}, {"hello_world", {}}}},
                          {"C", sweep::Law::uniform, 0.1, 1, 0, 0, {}}}));
}

TEST(ReadSweep, EveryLaw) {
  const JobFile job = good(with(R"(
search_space:
  lr: {type: loguniform, min_value: -6, max_value: -1}
  a: {type: randint, upper: 10}
  b: {type: QUniform, min_value: 0, max_value: 8, q: 0.5}
  c: {type: qloguniform, min_value: 0, max_value: 3, q: 1}
  d: {type: normal, mu: 1, sigma: 2}
  e: {type: qnormal, mu: 1, sigma: 2, q: 3}
  f: {type: lognormal, mu: -1, sigma: 0.5}
  g: {type: qlognormal, mu: -1, sigma: 0.5, q: 0.1}
metrics_from: output
sampling_algorithm: {type: random, seed: 7, rule: sobol, logbase: e}
)"));
  using sweep::Law;
  EXPECT_EQ(job.sweep->settings.space, (sweep::Space{{"lr", Law::loguniform, -6, -1, 0, 0, {}},
                                                     {"a", Law::randint, 0, 1, 0, 10, {}},
                                                     {"b", Law::quniform, 0, 8, 0.5, 0, {}},
                                                     {"c", Law::qloguniform, 0, 3, 1, 0, {}},
                                                     {"d", Law::normal, 1, 2, 0, 0, {}},
                                                     {"e", Law::qnormal, 1, 2, 3, 0, {}},
                                                     {"f", Law::lognormal, -1, 0.5, 0, 0, {}},
                                                     {"g", Law::qlognormal, -1, 0.5, 0.1, 0, {}}}));
  EXPECT_EQ(job.sweep->settings.sampling, (sweep::Sampling{sweep::Method::sobol, 7, 1}));
  EXPECT_TRUE(job.sweep->from_output);
}

TEST(ReadSweep, Policies) {
  const auto policy = [](const std::string& text) {
    const std::string method = "\nsampling_algorithm: bayesian\nearly_termination: ";
    return good(with(kRate + method + text)).sweep->settings.policy;
  };
  sweep::Policy bandit{sweep::EarlyEnd::bandit, 2, 5};
  bandit.slack_factor = 0.1;
  EXPECT_EQ(policy("{type: bandit, slack_factor: 0.1, slack_amount: 0, evaluation_interval: 2, "
                   "delay_evaluation: 5}"),
            bandit);
  EXPECT_EQ(policy("{type: median_stopping, evaluation_interval: 0}"),
            (sweep::Policy{sweep::EarlyEnd::median_stopping}));
  sweep::Policy truncation{sweep::EarlyEnd::truncation_selection};
  truncation.percentage = 20;
  truncation.without_completed = true;
  EXPECT_EQ(policy("{type: truncation_selection, truncation_percentage: 20, "
                   "exclude_finished_jobs: true}"),
            truncation);
}

TEST(ReadSweep, AMapAmongTheValuesIsASpaceOfItsOwn) {
  const JobFile job = good(R"(
type: sweep
trial: {command: "train ${{search_space.lr}} $[[--depth ${{search_space.depth}}]]"}
objective: {goal: maximize, primary_metric: acc}
sampling_algorithm: grid
search_space:
  model:
    type: choice
    values:
      - small
      - {kind: large, depth: {type: choice, values: [2, 3]}}
  lr: {type: choice, values: [0.1, 1]}
)");
  const sweep::Settings& settings = job.sweep->settings;
  EXPECT_EQ(settings.goal, sweep::Goal::maximize);
  EXPECT_EQ(sweep::trials_of(settings), 6U);
  EXPECT_EQ(sweep::names(settings.space),
            (std::vector<std::string>{"model", "kind", "depth", "lr"}));
}

TEST(ReadSweep, EachParameterIsAnInputOfTheTrial) {
  JobFile job = good(with(kRate + std::string("sampling_algorithm: random\n")));
  const auto input = std::ranges::find(job.inputs, "search_space.lr", &Input::name);
  ASSERT_NE(input, job.inputs.end());
  EXPECT_TRUE(input->swept);
  Complaints complaints("s.yml");
  EXPECT_EQ(values_of(job, {}, {}, complaints).inputs.at("search_space.lr"), std::nullopt);
  assign(job, {{"lr", "0.25"}});
  const Values values = values_of(job, {}, {}, complaints);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(expand(job.command->text, job.dialect, values), "train --lr 0.25");
}

constexpr const char* kTrain = R"(
type: command
inputs:
  data: {type: uri_file}
  lr: {type: number, default: 1}
  kernel: {type: string}
outputs: {model: {type: uri_folder}}
code: .
command: train ${{inputs.data}} ${{inputs.lr}} ${{inputs.kernel}} ${{outputs.model}}
)";

TEST(ReadSweep, AComponentHasParametersAsInputs) {
  const std::string text = R"(
type: sweep
trial: ./train/train.yml
inputs: {data: {path: a.csv}}
outputs: {model: }
sampling_algorithm: random
search_space:
  lr: {type: uniform, min_value: 0.1, max_value: 1}
  kernel: {type: choice, values: [rbf, poly]}
objective: {goal: minimize, primary_metric: loss}
)";
  PipelineReading reading = read(text, {{"train/train.yml", kTrain}});
  ASSERT_TRUE(reading.complaints.empty()) << to_string(reading.complaints.front());
  Complaints complaints(sources_of(reading.pipeline));
  Graph graph = graph_of(reading.pipeline, {}, {"/sweep", "/here", ""}, complaints);
  ASSERT_TRUE(complaints.empty()) << to_string(std::move(complaints).take().front());
  ASSERT_EQ(graph.steps.size(), 1U);
  GraphStep& step = graph.steps.front();
  EXPECT_EQ(step.folder, "/sweep/train");
  assign(step.job, {{"lr", "0.5"}, {"kernel", "poly"}});
  const Values values = values_of(step.job, {}, {step.folder, "/here", "/out"}, complaints);
  EXPECT_EQ(expand(step.job.command->text, step.job.dialect, values),
            "train /sweep/a.csv 0.5 poly /out/model");
}

TEST(ReadSweep, MayBeAStepOfAPipeline) {
  const std::string text = R"(
type: pipeline
inputs: {rows: 10}
jobs:
  prepare: {command: "echo > ${{outputs.o}}/x", outputs: {o: {type: uri_folder}}}
  tune:
    type: sweep
    trial:
      type: command
      command: train ${{inputs.data}} ${{inputs.rows}} ${{search_space.lr}} ${{outputs.model}}
    inputs: {data: "${{parent.jobs.prepare.outputs.o}}", rows: "${{parent.inputs.rows}}"}
    outputs: {model: {type: uri_folder}}
    sampling_algorithm: random
    search_space: {lr: {type: uniform, min_value: 0.1, max_value: 1}}
    objective: {goal: minimize, primary_metric: loss}
  use: {command: "cat ${{inputs.m}}", inputs: {m: "${{parent.jobs.tune.outputs.model}}"}}
)";
  PipelineReading reading = read(text);
  ASSERT_TRUE(reading.complaints.empty()) << to_string(reading.complaints.front());
  EXPECT_FALSE(reading.pipeline.root.is_sweep);
  Complaints complaints(sources_of(reading.pipeline));
  const Graph graph = graph_of(reading.pipeline, {}, {"/p", "/p", ""}, complaints);
  ASSERT_TRUE(complaints.empty());
  ASSERT_EQ(graph.steps.size(), 3U);
  EXPECT_TRUE(graph.steps[1].job.sweep);
  EXPECT_EQ(graph.steps[1].after, (std::vector<std::size_t>{0}));
  EXPECT_EQ(graph.steps[2].after, (std::vector<std::size_t>{1}));
}

// ---- complaints ----

TEST(ReadSweep, TellsWhatIsWrongWithParameters) {
  EXPECT_EQ(wrong(with(R"(sampling_algorithm: random
search_space:
  lr: {type: uniform, min_value: 2, max_value: 1, mu: 3}
  b: {type: normal, mu: 1}
  c: {type: qnormal, mu: 1, sigma: 0, q: -1}
  d: {type: choice, values: []}
  e: {type: choice, values: [[1]]}
  f: {type: randint, upper: 0.5}
  g: {type: unifrom, min_value: 1, max_value: 2}
  a b: {type: randint, upper: 3}
)")),
            R"(s.yml:8:55: search_space.lr.mu has no meaning for type uniform
  hint: remove it, or change the type
s.yml:9:13: the key search_space.b.sigma is missing
  hint: type normal needs it
s.yml:10:36: search_space.c.sigma must be above 0
s.yml:10:42: search_space.c.q must be above 0
s.yml:11:29: search_space.d.values must be a list with at least one value
  hint: write [A, B]
s.yml:12:30: search_space.e.values holds a list
  hint: each value is a text or a map
s.yml:13:29: search_space.f.upper must be a whole number from 1 to 9007199254740992, not 0.5
s.yml:14:13: search_space.g.type must be one of choice, randint, uniform, quniform, )"
            R"(loguniform, qloguniform, normal, qnormal, lognormal, qlognormal, not 'unifrom'
  hint: did you mean uniform?
s.yml:15:3: 'a b' is not a name for a parameter
  hint: a name has only letters, digits, _ and -
)");
}

// A key with a value that is no number is not missing as well, and nothing else follows from it.
TEST(ReadSweep, TellsOnceWhatIsWrongWithAKey) {
  EXPECT_EQ(wrong(with(R"(sampling_algorithm: grid
search_space:
  lr: {type: uniform, min_value: .nan, max_value: 4}
  b: {type: quniform, min_value: 1, max_value: 2, q: .inf}
  c: {type: lognormal, mu: x, sigma: 1e999}
  d: {type: randint, upper: {}}
  e: {type: normal, mu: 1, sigmma: 2}
  f: {type: normal, sigma: }
early_termination: {type: bandit, slack_factor: .nan}
)")),
            R"(s.yml:8:34: search_space.lr.min_value must be a number, not '.nan'
s.yml:9:54: search_space.b.q must be a number, not '.inf'
s.yml:10:28: search_space.c.mu must be a number, not 'x'
s.yml:10:38: search_space.c.sigma must be a number, not '1e999'
s.yml:11:29: search_space.d.upper must be a number, not a map
s.yml:12:28: unknown key 'sigmma' in search_space.e
  hint: did you mean sigma?
s.yml:13:13: the key search_space.f.mu is missing
  hint: type normal needs it
s.yml:13:21: search_space.f.sigma has no value
  hint: give it one, or remove the key
s.yml:14:49: early_termination.slack_factor must be a number, not '.nan'
)");
}

TEST(ReadSweep, TellsOfValuesThatNoComputerHas) {
  const std::string sweep = "sampling_algorithm: random\nsearch_space:\n  lr: ";
  const auto told = [&](const std::string& law) { return wrong(with(sweep + law + "\n")); };
  const std::string what = "would give values that are infinite or 0 to a computer\n  hint: ";
  const std::string less = "write numbers up to 1e300, and a q that is not so small\n";
  const std::string log = "its numbers are exponents: from -6 to -1 means from e^-6 to e^-1\n";
  EXPECT_EQ(told("{type: uniform, min_value: -1e308, max_value: 1e308}"),
            "s.yml:8:34: search_space.lr: type uniform " + what + less);
  EXPECT_EQ(told("{type: quniform, min_value: 0, max_value: 1e300, q: 1e-300}"),
            "s.yml:8:35: search_space.lr: type quniform " + what + less);
  EXPECT_EQ(told("{type: normal, mu: 0, sigma: 1e308}"),
            "s.yml:8:26: search_space.lr: type normal " + what + less);
  EXPECT_EQ(told("{type: loguniform, min_value: 700, max_value: 800}"),
            "s.yml:8:37: search_space.lr: type loguniform " + what + log);
  EXPECT_EQ(told("{type: loguniform, min_value: -2000, max_value: -1}"),
            "s.yml:8:37: search_space.lr: type loguniform " + what + log);
  EXPECT_EQ(told("{type: lognormal, mu: 0, sigma: 100}"),
            "s.yml:8:29: search_space.lr: type lognormal " + what + log);
  (void)good(with(sweep + "{type: loguniform, min_value: -700, max_value: 700}\n"));
  (void)good(with(sweep + "{type: qloguniform, min_value: -2000, max_value: 3, q: 1}\n"));
  (void)good(with(sweep + "{type: uniform, min_value: -8e307, max_value: 8e307}\n"));
}

TEST(ReadSweep, TellsWhatIsWrongWithSamplings) {
  EXPECT_EQ(wrong(with(kRate + std::string("sampling_algorithm: grid\n"))),
            R"(s.yml:8:21: a grid takes choices only, and search_space.lr is of type uniform
  hint: write type: choice and its values, or sampling_algorithm: random
)");
  EXPECT_EQ(wrong(with(kRate + std::string("sampling_algorithm: {type: bayesian, rule: sobol, "
                                           "seed: 1.5, logbase: 1}\n"))),
            R"(s.yml:8:44: sampling_algorithm.rule is for type random
  hint: remove it
s.yml:8:57: sampling_algorithm.seed must be a whole number from 0 to 9007199254740992, not 1.5
s.yml:8:71: sampling_algorithm.logbase must be e, or a number above 0 that is not 1
)");
  EXPECT_EQ(wrong(with(kRate)),
            "s.yml:2:1: the key sampling_algorithm is missing\n"
            "  hint: sampling_algorithm: How points of the search space are "
            "chosen.\n");
}

TEST(ReadSweep, TellsWhatIsWrongWithPolicies) {
  const auto policy = [](const std::string& text) {
    return wrong(
        with(kRate + std::string("sampling_algorithm: random\nearly_termination: ") + text));
  };
  const std::string slack =
      "s.yml:9:27: a bandit has one slack above 0: slack_factor or slack_amount\n"
      "  hint: for example slack_factor: 0.2\n";
  EXPECT_EQ(policy("{type: bandit}"), slack);
  EXPECT_EQ(policy("{type: bandit, slack_factor: 1, slack_amount: 1}"), slack);
  EXPECT_EQ(policy("{type: truncation_selection, truncation_percentage: 100}"),
            "s.yml:9:27: early_termination.truncation_percentage must be from 1 to 99, not 100\n");
  EXPECT_EQ(policy("{type: truncation_selection, truncation_percentage: x}"),
            "s.yml:9:72: early_termination.truncation_percentage must be a whole number from 1 to "
            "1000000, not 'x'\n");
}

TEST(ReadSweep, KnowsItsParameters) {
  EXPECT_EQ(wrong(R"(
type: sweep
trial: {command: "train ${{search_space.rl}} ${{inputs.x}}", wrong: 1}
sampling_algorithm: random
search_space: {lr: {type: randint, upper: 3}}
objective: {goal: up}
)"),
            R"(s.yml:3:25: the search space has no 'rl'
  hint: did you mean lr?
s.yml:3:46: there is no input 'x'
  hint: declare it below inputs:
s.yml:3:62: unknown key 'wrong' in trial
  hint: keys that are allowed here: $schema, type, name, version, display_name, description, )"
            R"(tags, command, code, environment, environment_variables, unset, dialects, )"
            R"(distribution, resources, inputs, outputs, is_deterministic
s.yml:6:12: the key objective.primary_metric is missing
  hint: primary_metric: The metric that trials are judged by.
s.yml:6:19: objective.goal must be one of minimize, maximize, not 'up'
)");
}

TEST(ReadSweep, AMetricHasANameThatCanBeReported) {
  const auto metric = [](const std::string& name, const std::string& more) {
    return wrong(R"(
type: sweep
trial: {command: "train ${{search_space.lr}}"}
sampling_algorithm: random
search_space: {lr: {type: randint, upper: 3}}
objective: {goal: minimize, primary_metric: )" +
                 name + "}\n" + more);
  };
  const std::string hint =
      "  hint: names have letters, digits, blanks and _ - . : only, and / between such parts\n";
  const std::string of_mlflow = "s.yml:6:45: MLflow cannot have a metric of the name ";
  EXPECT_EQ(metric("../x", ""), of_mlflow + "'../x'\n" + hint);
  EXPECT_EQ(metric("/x", ""), of_mlflow + "'/x'\n" + hint);
  EXPECT_EQ(metric("a=b", ""), of_mlflow + "'a=b'\n" + hint);
  EXPECT_EQ(metric("../x", "metrics_from: output\n"), "");
  EXPECT_EQ(metric("a=b", "metrics_from: output\n"),
            "s.yml:6:45: no line NAME=VALUE can have the name 'a=b'\n"
            "  hint: a name has no =, and no blanks around it\n");
}

TEST(ReadSweep, GivesNoNameTwoValues) {
  EXPECT_EQ(wrong(with(R"(sampling_algorithm: random
search_space:
  lr: {type: choice, values: [1, {lr: 2}]}
)")),
            "s.yml:8:35: the search space gives 'lr' two values at once\n"
            "  hint: line 8 gives it one, too: write another name\n");
}

// Once, wherever it is used again; two options may both have it.
TEST(ReadSweep, TellsWhereANameIsUsedAgain) {
  EXPECT_EQ(wrong(with(R"(sampling_algorithm: random
search_space:
  model:
    type: choice
    values:
      - {kind: tree, depth: {type: randint, upper: 3}}
      - kind: net
        lr: 3
        depth: {type: choice, values: [{lr: 1}, {lr: 2}]}
  lr: {type: uniform, min_value: 0, max_value: 1}
)")),
            "s.yml:13:9: the search space gives 'lr' two values at once\n"
            "  hint: line 15 gives it one, too: write another name\n");
}

// What can be known before anything runs.
TEST(ReadSweep, ValuesFitTheInputsOfTheComponent) {
  const auto space = [](const std::string& parameters) {
    return wrong(
        "type: sweep\ntrial: a.yml\nsampling_algorithm: {type: random, logbase: 10}\n"
        "objective: {goal: minimize, primary_metric: loss}\nsearch_space: " +
            parameters + "\n",
        {{"a.yml", R"(type: command
inputs:
  lr: {type: number, min: 0.001, max: 0.1}
  depth: {type: integer, min: 1, max: 8}
  kind: {type: string, enum: [tree, net]}
  fast: {type: boolean}
command: train ${{inputs.lr}} ${{inputs.depth}} ${{inputs.kind}} ${{inputs.fast}}
)"}});
  };
  const std::string rest =
      ", lr: {type: choice, values: [0.1]}, kind: {type: choice, values: "
      "[tree]}, fast: {type: choice, values: [true]}}";
  const auto only = [&](const std::string& depth) { return space("{depth: " + depth + rest); };
  const std::string others =
      ", depth: {type: choice, values: [1]}, kind: {type: choice, values: "
      "[net]}, fast: {type: choice, values: [true]}}";
  const auto rate = [&](const std::string& lr) { return space("{lr: " + lr + others); };
  EXPECT_EQ(only("{type: choice, values: [1, 8]}"), "");
  EXPECT_EQ(only("{type: choice, values: [1, 9, 10]}"),
            "s.yml:5:50: the input depth must be from 1 to 8, not 9\n");
  EXPECT_EQ(only("{type: choice, values: [1, 2.5]}"),
            "s.yml:5:50: the input depth must be a whole number, not '2.5'\n");
  EXPECT_EQ(only("{type: randint, upper: 4}"),
            "s.yml:5:46: the input depth must be from 1 to 8, not 0\n");
  EXPECT_EQ(only("{type: uniform, min_value: 1, max_value: 8}"),
            "s.yml:5:30: the input depth takes whole numbers, and type uniform gives others\n"
            "  hint: write type: randint, a choice, or a law with a whole q\n");
  EXPECT_EQ(only("{type: quniform, min_value: 1, max_value: 8, q: 1}"), "");
  EXPECT_EQ(only("{type: quniform, min_value: 1, max_value: 9, q: 4}"),
            "s.yml:5:51: "
            "the input depth must be from 1 to 8, not 0\n");
  EXPECT_EQ(rate("{type: loguniform, min_value: -3, max_value: -1}"), "");
  EXPECT_EQ(rate("{type: loguniform, min_value: -3, max_value: -0.9999999}"), "");
  EXPECT_EQ(rate("{type: loguniform, min_value: -3, max_value: 0}"),
            "s.yml:5:65: the input lr must be from 0.001 to 0.1, not 1\n");
  EXPECT_EQ(rate("{type: uniform, min_value: 0, max_value: 0.1}"),
            "s.yml:5:47: the input lr must be from 0.001 to 0.1, not 0\n");
  EXPECT_EQ(rate("{type: normal, mu: 0, sigma: 5}"), "");  // who knows
}

TEST(ReadSweep, ATrialIsOneJob) {
  EXPECT_EQ(wrong(R"(
type: sweep
trial: a.yml
sampling_algorithm: random
search_space: {lr: {type: randint, upper: 3}}
objective: {goal: minimize, primary_metric: loss}
)",
                  {{"a.yml", "type: pipeline\njobs: {a: {command: x}}\n"}}),
            "s.yml:3:8: this component is a pipeline, and a trial is one job\n");
}

// Its own inputs make the trial a component, as if it stood in a file.
TEST(ReadSweep, TrialsWithInputsAreComponents) {
  const PipelineReading reading = read(R"(
type: sweep
trial:
  command: train --lr ${{inputs.lr}} $[[--note ${{inputs.note}}]]
  environment: azureml:thing:1
  inputs:
    lr: {type: number}
    note: {type: string, optional: true}
objective: {goal: minimize, primary_metric: loss}
sampling_algorithm: random
limits: {max_total_trials: 4}
search_space: {lr: {type: uniform, min_value: 0.1, max_value: 1}}
)");
  ASSERT_TRUE(reading.complaints.empty()) << to_string(reading.complaints.front());
  Complaints complaints(sources_of(reading.pipeline));
  Graph graph = graph_of(reading.pipeline, {}, {"/sweep", "/here", ""}, complaints);
  JobFile& job = graph.steps.front().job;
  assign(job, {{"lr", "0.5"}});
  const Values values = values_of(job, {}, {}, complaints);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(expand(job.command->text, job.dialect, values), "train --lr 0.5 ");
}

}  // namespace
}  // namespace muster::job::sweep_files
