// Pipelines: files become steps in an order, with their values.
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "job/graph_of.hpp"
#include "job/read_pipeline.hpp"

namespace muster::job {
namespace {

using Files = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

PipelineReading read_all(const Files& files, const std::string& first = "p.yml") {
  return read_pipeline(files.at(first), first,
                       [&](const std::string& path) -> base::Result<std::string> {
                         const auto found = files.find(path);
                         if (found != files.end()) return found->second;
                         return base::fail(base::Fault::bad_file, "", "cannot read {}", path);
                       });
}

Texts told(const std::vector<base::Error>& errors) {
  Texts all;
  for (const base::Error& error : errors) all.push_back(to_string(error));
  return all;
}

struct Laid {
  Graph graph;
  Texts complaints;
};

Laid graph(const Files& files, const std::vector<Setting>& settings = {}) {
  const PipelineReading reading = read_all(files);
  EXPECT_EQ(told(reading.complaints), Texts{});
  if (!reading.complaints.empty()) return {};
  Complaints complaints(sources_of(reading.pipeline));
  Laid laid;
  laid.graph = graph_of(reading.pipeline, settings, {"/base", "/here", "/out"}, complaints);
  laid.complaints = told(std::move(complaints).take());
  return laid;
}

Graph good_graph(const Files& files, const std::vector<Setting>& settings = {}) {
  Laid laid = graph(files, settings);
  EXPECT_EQ(laid.complaints, Texts{});
  return std::move(laid.graph);
}

Texts names(const Graph& graph) {
  Texts all;
  for (const GraphStep& step : graph.steps) all.push_back(step.name);
  return all;
}

const GraphStep& step(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.steps, name, &GraphStep::name);
  EXPECT_NE(found, graph.steps.end()) << name;
  static const GraphStep kNone;
  return found == graph.steps.end() ? kNone : *found;
}

// "text" of a value, "step.output" of what another step makes, or "".
std::string input(const Graph& graph, const std::string& of, const std::string& name) {
  const GraphStep& one = step(graph, of);
  const auto made = one.inputs.find(name);
  if (made != one.inputs.end()) {
    EXPECT_EQ(made->second.size(), 1U);
    return graph.steps[made->second.front().step].name + ":" + made->second.front().output;
  }
  const auto found = std::ranges::find(one.job.inputs, name, &Input::name);
  if (found == one.job.inputs.end()) return "(none)";
  return found->value ? found->value->text : "";
}

TEST(Pipeline, InlineStepsRunInTheOrderOfWhatTheyNeed) {
  const Graph made = good_graph({{"p.yml", R"(
type: pipeline
experiment_name: e
tags: {a: b}
settings: {default_compute: azureml:cpu, continue_on_step_failure: true, force_rerun: true}
inputs:
  rate: 0.1
  data: {type: uri_folder, path: ./data}
outputs:
  report: {path: ./report}
jobs:
  evaluate:
    command: eval ${{inputs.model}} > ${{outputs.report}}
    inputs: {model: "${{parent.jobs.train.outputs.model}}"}
    outputs: {report: "${{parent.outputs.report}}"}
  prepare:
    type: command
    command: prep ${{inputs.data}} ${{outputs.clean}}
    inputs: {data: "${{ parent.inputs.data }}"}
    outputs: {clean: }
  train:
    command: train ${{inputs.clean}} ${{inputs.rate}}
    code: src
    distribution: {type: pytorch, process_count_per_instance: 2}
    resources: {instance_count: 2}
    inputs:
      clean: {type: uri_folder, path: "${{parent.jobs.prepare.outputs.clean}}"}
      rate: ${{parent.inputs.rate.path}}
      note: rate-${{parent.inputs.rate}}-x
    outputs: {model: {type: uri_folder, mode: upload}}
)"}});
  EXPECT_EQ(names(made), (Texts{"prepare", "train", "evaluate"}));
  EXPECT_EQ(made.experiment, "e");
  EXPECT_EQ(made.target->text, "azureml:cpu");
  EXPECT_TRUE(made.goes_on);
  EXPECT_FALSE(made.reuses);
  EXPECT_EQ(input(made, "prepare", "data"), "/base/data");
  EXPECT_EQ(input(made, "train", "clean"), "prepare:clean");
  EXPECT_EQ(input(made, "train", "rate"), "0.1");
  EXPECT_EQ(input(made, "train", "note"), "rate-0.1-x");
  EXPECT_EQ(step(made, "train").after, (std::vector<std::size_t>{0}));
  EXPECT_EQ(step(made, "train").job.per_node->number, 2U);
  EXPECT_EQ(step(made, "train").job.outputs.front().mode->text, "upload");
  EXPECT_EQ(step(made, "train").folder, "/base");
  ASSERT_EQ(made.outputs.size(), 1U);
  EXPECT_EQ(made.outputs.front().name, "report");
  EXPECT_EQ(made.outputs.front().from, (MadeBy{{2, "report"}}));
  EXPECT_EQ(step(made, "evaluate").job.outputs.front().path->text, "/base/report");
}

const char* const kTrain = R"(
type: command
name: train
is_deterministic: true
inputs:
  data: {type: uri_folder}
  epochs: {type: integer, default: 3, min: 1}
  note: {type: string, optional: true}
outputs:
  model: {type: uri_folder}
code: ../src
environment: azureml:a:1
environment_variables: {A: '1', B: '2'}
distribution: {type: mpi, process_count_per_instance: 4}
resources: {instance_count: 3, instance_type: T}
command: train ${{inputs.data}} ${{inputs.epochs}} $[[--note ${{inputs.note}}]] ${{outputs.model}}
)";

TEST(Pipeline, AStepSaysMoreThanItsComponent) {
  const Graph made = good_graph({{"p.yml", R"(
type: pipeline
inputs: {nodes: 5, where: big, level: debug}
jobs:
  one:
    type: command
    component: ./parts/train.yml
    inputs: {data: {path: ./d, mode: download}, epochs: 7}
    environment: {image: i}
    environment_variables: {B: "${{parent.inputs.level}}-${{inputs.epochs}}", C: '3'}
    distribution: {type: pytorch}
    resources: {instance_count: "${{parent.inputs.nodes}}"}
    compute: ${{parent.inputs.where}}
    limits: {timeout: 60}
  two:
    component: file:./parts/train.yml
    inputs: {data: "${{parent.jobs.one.outputs.model}}"}
)"},
                                 {"parts/train.yml", kTrain}});
  const JobFile& one = step(made, "one").job;
  EXPECT_EQ(step(made, "one").folder, "/base/parts");
  EXPECT_TRUE(step(made, "one").deterministic);
  EXPECT_EQ(one.nodes->number, 5U);
  EXPECT_FALSE(one.per_node);
  ASSERT_EQ(one.frameworks.size(), 1U);
  EXPECT_EQ(one.frameworks.front().framework, Framework::pytorch);
  EXPECT_EQ(one.instance_type->text, "T");
  EXPECT_EQ(one.target->text, "big");
  EXPECT_EQ(one.timeout->text, "60");
  EXPECT_TRUE(one.environment.empty());
  ASSERT_TRUE(one.image);
  EXPECT_EQ(one.image->text, "i");
  ASSERT_EQ(one.variables.size(), 3U);
  EXPECT_EQ(one.variables.back().value.text, "debug-${{inputs.epochs}}");
  EXPECT_EQ(one.inputs.front().mode->text, "download");
  EXPECT_EQ(input(made, "one", "data"), "/base/d");
  EXPECT_EQ(input(made, "one", "epochs"), "7");
  EXPECT_EQ(input(made, "one", "note"), "");
  const JobFile& two = step(made, "two").job;
  EXPECT_EQ(two.nodes->number, 3U);
  EXPECT_EQ(two.per_node->number, 4U);
  EXPECT_EQ(input(made, "two", "data"), "one:model");
  EXPECT_EQ(input(made, "two", "epochs"), "3");
}

TEST(Pipeline, PipelinesAreStepsOfPipelines) {
  const Graph made = good_graph({{"p.yml", R"(
type: pipeline
inputs: {raw: {type: uri_folder, path: raw}}
outputs: {model: {path: ./model}}
jobs:
  fit:
    type: pipeline
    component: sub/fit.yml
    inputs: {data: "${{parent.jobs.clean.outputs.out}}"}
    outputs: {model: "${{parent.outputs.model}}"}
    settings: {default_compute: gpu}
  clean:
    command: clean ${{inputs.in}}
    inputs: {in: "${{parent.inputs.raw}}"}
    outputs: {out: }
)"},
                                 {"sub/fit.yml", R"(
type: pipeline
inputs:
  data: {type: uri_folder}
  extra: {type: uri_folder, path: extra}
  epochs: {type: integer, default: 2}
outputs: {model: {type: uri_folder}}
jobs:
  train:
    component: ../parts/train.yml
    compute: cpu
    inputs: {data: "${{parent.inputs.data}}", epochs: "${{parent.inputs.epochs}}"}
  merge:
    command: merge ${{inputs.a}} ${{inputs.b}}
    inputs: {a: "${{parent.jobs.train.outputs.model}}", b: "${{parent.inputs.extra}}"}
    outputs: {all: "${{parent.outputs.model}}"}
)"},
                                 {"sub/../parts/train.yml", kTrain}});
  EXPECT_EQ(names(made), (Texts{"clean", "fit.train", "fit.merge"}));
  EXPECT_EQ(input(made, "fit.train", "data"), "clean:out");
  EXPECT_EQ(input(made, "fit.merge", "b"), "/base/sub/extra");
  EXPECT_EQ(step(made, "fit.merge").job.target->text, "gpu");
  EXPECT_EQ(step(made, "fit.train").job.target->text, "cpu");
  EXPECT_EQ(step(made, "fit.train").folder, "/base/sub/../parts");
  ASSERT_EQ(made.outputs.size(), 1U);
  EXPECT_EQ(made.outputs.front().from, (MadeBy{{2, "all"}}));
  EXPECT_EQ(step(made, "fit.merge").job.outputs.front().path->text, "/base/model");
}

Texts waits_for(const Graph& graph, const std::string& of) {
  Texts all;
  for (const std::size_t needed : step(graph, of).after) all.push_back(graph.steps[needed].name);
  return all;
}

// Azure ML's order: what a pipeline is given belongs to all of it, however deep.
TEST(Pipeline, NoStepOfAPipelineStartsBeforeTheWholeHasWhatItIsGiven) {
  const Graph made = good_graph({{"p.yml", R"(
type: pipeline
jobs:
  second: {type: pipeline, component: inner.yml, inputs: {after: "${{parent.jobs.first.outputs.o}}"}}
  first: {command: a, outputs: {o: }}
  beside: {command: b}
)"},
                                 {"inner.yml", R"(
type: pipeline
inputs: {after: {type: uri_folder}}
jobs:
  one: {command: c, outputs: {o: }}
  deep: {type: pipeline, component: deep.yml, inputs: {given: "${{parent.jobs.one.outputs.o}}"}}
)"},
                                 {"deep.yml", R"(
type: pipeline
inputs: {given: {type: uri_folder}, name: x}
jobs:
  free: {command: d}
)"}});
  EXPECT_EQ(waits_for(made, "second.one"), Texts{"first"});
  EXPECT_EQ(waits_for(made, "second.deep.free"), (Texts{"first", "second.one"}));
  EXPECT_EQ(waits_for(made, "beside"), Texts{});
}

// The second pass of a loop is given what the first has made.
TEST(Pipeline, APassOfALoopWaitsAsAWhole) {
  const Graph made = good_graph({{"p.yml", R"(
type: pipeline
jobs:
  body: {type: pipeline, component: inner.yml, inputs: {state: ./s}}
  loop:
    type: do_while
    body: ${{parent.jobs.body}}
    condition: true
    mapping: {o: state}
    limits: {max_iteration_count: 2}
)"},
                                 {"inner.yml", R"(
type: pipeline
inputs: {state: {type: uri_folder}}
outputs: {o: {type: uri_folder}}
jobs:
  free: {command: c}
  make: {command: d, outputs: {o: "${{parent.outputs.o}}"}}
)"}});
  EXPECT_EQ(waits_for(made, "body.2.free"), Texts{"body.1.make"});
}

TEST(Pipeline, SettingsReachInputsOfThePipelineAndOfSteps) {
  const Files files = {{"p.yml", R"(
type: pipeline
inputs: {data: {type: uri_folder, path: "azureml:d:1"}, n: 1}
jobs:
  a:
    command: x ${{inputs.d}} ${{inputs.e}} ${{inputs.n}}
    inputs:
      d: ${{parent.inputs.data}}
      e: {type: uri_file, path: "https://h/f.csv"}
      n: ${{parent.inputs.n}}
)"}};
  EXPECT_EQ(graph(files).complaints,
            (Texts{"p.yml:3:41: the input data is where muster cannot reach it: 'azureml:d:1'\n"
                   "  hint: name a file or folder of the hosts: --set inputs.data=PATH",
                   "p.yml:9:33: the input e of step a is where muster cannot reach it: "
                   "'https://h/f.csv'\n  hint: name a file or folder of the hosts: --set "
                   "jobs.a.inputs.e=PATH"}));
  const Graph made =
      good_graph(files, {{"inputs.data", "d"}, {"jobs.a.inputs.e", "e"}, {"inputs.n", "4"}});
  EXPECT_EQ(input(made, "a", "d"), "/here/d");
  EXPECT_EQ(input(made, "a", "e"), "/here/e");
  EXPECT_EQ(input(made, "a", "n"), "4");
  EXPECT_EQ(graph(files, {{"jobs.a.inputs.f", "e"}}).complaints.front(),
            "p.yml: --set 'jobs.a.inputs.f': no step has such an input\n"
            "  hint: did you mean jobs.a.inputs.d?");
}

TEST(Pipeline, ComplaintsAreAtTheirPlaceInTheirFile) {
  const PipelineReading reading = read_all({{"p.yml", R"(
type: pipeline
jobs:
  a:
    component: bad.yml
  b:
    component: bad.yml
    inputs: {x: "${{parent.jobs.a.outputs.none}}"}
  c:
    component: missing.yml
  d:
    component: azureml:c:1
)"},
                                            {"bad.yml", "command: x ${{inputs.y}}\nfoo: 1\n"}});
  EXPECT_EQ(
      told(reading.complaints),
      (Texts{"p.yml:10:16: the component 'missing.yml': cannot read missing.yml",
             "p.yml:12:16: the component 'azureml:c:1' is registered in Azure ML, where "
             "muster cannot reach it\n  hint: name its file: component: ./FILE.yml",
             "bad.yml:1:12: there is no input 'y'\n  hint: declare it below inputs:",
             "bad.yml:2:1: unknown key 'foo'\n  hint: keys that are allowed here: $schema, "
             "type, name, version, display_name, description, comment, tags, "
             "experiment_name, command, code, checkpoints, environment, environment_variables, "
             "unset, dialects, compute, distribution, resources, limits, inputs, outputs, "
             "is_deterministic"}));
}

TEST(Pipeline, CirclesAreNamed) {
  const PipelineReading steps = read_all({{"p.yml", R"(
type: pipeline
jobs:
  a: {command: x, inputs: {i: "${{parent.jobs.c.outputs.o}}"}, outputs: {o: }}
  b: {command: x, inputs: {i: "${{parent.jobs.a.outputs.o}}"}, outputs: {o: }}
  c: {command: x, inputs: {i: "${{parent.jobs.b.outputs.o}}"}, outputs: {o: }}
  d: {command: x, inputs: {i: "${{parent.jobs.c.outputs.o}}"}}
)"}});
  EXPECT_EQ(told(steps.complaints),
            Texts{"p.yml:4:3: these steps wait for one another: a -> c -> b -> a\n"
                  "  hint: one of them must do without an output of the next"});
  const PipelineReading files =
      read_all({{"p.yml", "type: pipeline\njobs: {a: {component: q.yml}}\n"},
                {"q.yml", "type: pipeline\njobs: {a: {component: r.yml}}\n"},
                {"r.yml", "type: pipeline\njobs: {a: {component: ./q.yml}}\n"}});
  EXPECT_EQ(told(files.complaints),
            Texts{"r.yml:2:23: these files contain one another: q.yml -> r.yml -> q.yml"});
}

TEST(Pipeline, ParallelStepsAreRead) {
  const Files files = {{"p.yml", R"(
type: pipeline
inputs: {size: 5, rows: {type: uri_folder, path: r}}
jobs:
  inline:
    type: parallel
    inputs: {rows: {path: "${{parent.inputs.rows}}", mode: direct}}
    input_data: ${{inputs.rows}}
    mini_batch_size: ${{parent.inputs.size}}
    task: {type: run_function, entry_script: s.py, program_arguments: "--r ${{inputs.rows}}"}
  named:
    type: parallel
    component: c.yml
    mini_batch_size: 7
    max_concurrency_per_instance: 4
    inputs: {rows: "${{parent.inputs.rows}}"}
    resources: {instance_count: 2}
)"},
                       {"c.yml", R"(
type: parallel
inputs: {rows: {type: uri_folder}}
input_data: ${{inputs.rows}}
mini_batch_size: 1
retry_settings: {max_retries: 1}
task: {type: run_function, entry_script: s.py}
)"}};
  const Laid made = graph(files);
  EXPECT_TRUE(made.complaints.empty());
  const std::string command = step(made.graph, "named").job.command->text;
  EXPECT_NE(command.find(
                " --entry-script s.py --input \"$MUSTER_MINI_BATCHES_INPUT\" --mini-batch-size 7 "
                "--max-retries 1 -- "),
            std::string::npos)
      << command;
  EXPECT_EQ(step(made.graph, "named").job.per_node->number, 4U);
  EXPECT_EQ(step(made.graph, "inline").job.parallel->batch_size->text, "5");
  EXPECT_EQ(step(made.graph, "inline").job.inputs.front().mode->text, "direct");
  EXPECT_EQ(step(made.graph, "named").job.parallel->batch_size->text, "7");
  EXPECT_EQ(step(made.graph, "named").job.parallel->retries->text, "1");
  EXPECT_EQ(step(made.graph, "named").job.nodes->number, 2U);
}

// Processor time, since machines are busy; sanitizers take several times as long.
// Processor time of a chain in which each step needs an earlier one.
double seconds_for(int steps) {
  std::string text = "type: pipeline\njobs:\n  s0: {component: c.yml, inputs: {i: ./data}}\n";
  for (int i = 1; i < steps; ++i) {
    text += fmt::format(
        "  s{}: {{component: c.yml, inputs: {{i: \"${{{{parent.jobs.s{}.outputs.o}}}}\"}}}}\n", i,
        i * 7919 % i);
  }
  const Files files = {{"p.yml", text},
                       {"c.yml", "command: x\ninputs: {i: {type: uri_folder}}\noutputs: {o: }\n"}};
  const std::clock_t start = std::clock();
  const Graph made = good_graph(files);
  EXPECT_EQ(made.steps.size(), static_cast<std::size_t>(steps));
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

// The square of their number would take a hundred times as long.
TEST(Pipeline, TenTimesAsManyStepsTakeAboutTenTimesAsLong) {
  EXPECT_LT(seconds_for(10000), 40 * seconds_for(1000));
}

// Two of each of two of each of ...
TEST(Pipeline, WhatGrowsWithoutBoundEndsSoon) {
  Files files = {
      {"p.yml", "type: pipeline\njobs: {a: {component: c0.yml}, b: {component: c0.yml}}\n"}};
  for (int i = 0; i < 30; ++i) {
    files[fmt::format("c{}.yml", i)] = fmt::format(
        "type: pipeline\njobs: {{a: {{component: c{0}.yml}}, b: {{component: c{0}.yml}}}}\n",
        i + 1);
  }
  files["c30.yml"] = "command: x\n";
  const Laid made = graph(files);
  EXPECT_EQ(made.complaints, Texts{"c29.yml:2:8: the pipeline has more than 20000 steps"});
  EXPECT_EQ(made.graph.steps.size(), kGraphStepsMax);
}

// "step" for each that a step runs after, and "step.output=true" for each condition.
Texts needs(const Graph& graph, const std::string& of) {
  Texts all;
  for (const std::size_t one : step(graph, of).after) all.push_back(graph.steps[one].name);
  for (const Condition& one : step(graph, of).when) {
    EXPECT_EQ(one.output.size(), 1U);
    all.push_back(graph.steps[one.output.front().step].name + "." + one.output.front().output +
                  (one.is ? "=true" : "=false"));
  }
  return all;
}

TEST(PipelineControl, BranchesRunUnderTheirConditions) {
  const Files files = {{"p.yml", R"(
type: pipeline
inputs: {fast: true}
jobs:
  decide:
    type: if_else
    condition: ${{parent.jobs.test.outputs.output}}
    true_block: ["${{parent.jobs.a}}", "${{parent.jobs.inner}}"]
    false_block: ${{parent.jobs.b}}
  a: {command: x}
  b: {command: x}
  inner:
    type: IfElse
    condition: ${{parent.jobs.test.outputs.more}}
    false_block: [c]
  c: {type: pipeline, jobs: {d: {command: x}}}
  quick: {type: if_else, condition: "${{parent.inputs.fast}}", true_block: e, false_block: f}
  e: {command: x}
  f: {command: x}
  test:
    command: x
    outputs: {output: {type: boolean, is_control: true}, more: {type: boolean, is_control: true}}
)"}};
  const Graph made = good_graph(files);
  EXPECT_EQ(names(made), (Texts{"e", "test", "a", "b", "c.d"}));
  EXPECT_EQ(needs(made, "a"), (Texts{"test", "test.output=true"}));
  EXPECT_EQ(needs(made, "b"), (Texts{"test", "test.output=false"}));
  EXPECT_EQ(needs(made, "c.d"), (Texts{"test", "test.output=true", "test.more=false"}));
  EXPECT_EQ(needs(made, "e"), Texts{});
  EXPECT_TRUE(step(made, "test").job.outputs.front().is_control);
  EXPECT_EQ(names(good_graph(files, {{"inputs.fast", "False"}})).front(), "f");
  EXPECT_EQ(graph(files, {{"inputs.fast", "maybe"}}).complaints,
            Texts{"p.yml:17:37: the condition must be true or false, not 'maybe'"});
}

const char* const kBody = R"(
inputs:
  model: {type: uri_folder}
  rate: {type: number, default: 1}
outputs:
  model: {type: uri_folder}
  more: {type: boolean, is_control: true}
command: x ${{inputs.model}} ${{inputs.rate}} ${{outputs.model}} ${{outputs.more}}
)";

TEST(PipelineControl, LoopsAreWrittenOut) {
  const Graph made = good_graph({{"p.yml", R"(
type: pipeline
jobs:
  body:
    component: body.yml
    inputs: {model: ./start}
  loop:
    type: do_while
    body: ${{parent.jobs.body}}
    condition: more
    mapping: {model: [model]}
    limits: {max_iteration_count: 3}
  fixed: {component: body.yml, inputs: {model: "${{parent.jobs.first.outputs.o}}"}}
  twice:
    type: do_while
    body: fixed
    condition: true
    mapping: {model: "${{parent.jobs.fixed.inputs.model}}"}
    limits: {max_iteration_count: 2}
  last:
    command: x ${{inputs.m}}
    inputs: {m: "${{parent.jobs.twice.outputs.model}}"}
  first: {command: x, outputs: {o: }}
)"},
                                 {"body.yml", kBody}});
  EXPECT_EQ(names(made),
            (Texts{"body.1", "body.2", "body.3", "first", "fixed.1", "fixed.2", "last"}));
  EXPECT_EQ(input(made, "body.1", "model"), "/base/start");
  EXPECT_EQ(input(made, "body.2", "model"), "body.1:model");
  EXPECT_EQ(needs(made, "body.3"), (Texts{"body.2", "body.2.more=true"}));
  EXPECT_EQ(needs(made, "fixed.1"), Texts{"first"});
  EXPECT_EQ(needs(made, "fixed.2"), Texts{"fixed.1"});
  EXPECT_EQ(input(made, "last", "m"), "fixed.2:model");
}

TEST(PipelineControl, WhatALoopLeavesIsThatOfItsLastPass) {
  const Graph made = good_graph({{"p.yml", R"(
type: pipeline
outputs: {model: }
jobs:
  body:
    component: body.yml
    inputs: {model: ./start}
    outputs: {model: "${{parent.outputs.model}}"}
  loop:
    type: do_while
    body: body
    condition: ${{parent.jobs.body.outputs.more}}
    mapping: {model: model}
    limits: {max_iteration_count: 3}
  last: {command: "x ${{inputs.m}}", inputs: {m: "${{parent.jobs.body.outputs.model}}"}}
)"},
                                 {"body.yml", kBody}});
  const MadeBy passes = {{2, "model"}, {1, "model"}, {0, "model"}};
  EXPECT_EQ(step(made, "last").inputs.at("m"), passes);
  EXPECT_EQ(made.outputs.front().from, passes);
  EXPECT_EQ(needs(made, "last"), (Texts{"body.1", "body.2", "body.3"}));
}

TEST(PipelineControl, ItemsAreStepsOfTheirOwn) {
  const Files files = {{"p.yml", R"(
type: pipeline
inputs: {rates: '[{"rate": 0.5}]', data: {type: uri_folder, path: d}}
jobs:
  listed: {component: body.yml, inputs: {model: m}}
  a:
    type: parallel_for
    body: ${{parent.jobs.listed}}
    items: [{rate: 1}, {rate: 2, model: "${{parent.inputs.data}}"}]
  keyed: {component: body.yml}
  b: {type: parallel_for, body: keyed, items: '{"x": {"model": "mx"}, "y": {"model": "my"}}'}
  given: {component: body.yml, inputs: {model: m}}
  c: {type: parallel_for, body: given, items: "${{parent.inputs.rates}}", max_concurrency: 2}
)"},
                       {"body.yml", kBody}};
  const Graph made = good_graph(files);
  EXPECT_EQ(names(made), (Texts{"listed.0", "listed.1", "keyed.x", "keyed.y", "given.0"}));
  EXPECT_EQ(input(made, "listed.0", "rate"), "1");
  EXPECT_EQ(input(made, "listed.0", "model"), "/base/m");
  EXPECT_EQ(input(made, "listed.1", "model"), "/base/d");
  EXPECT_EQ(input(made, "keyed.y", "model"), "/base/my");
  EXPECT_EQ(input(made, "given.0", "rate"), "0.5");
  EXPECT_EQ(names(good_graph(files, {{"inputs.rates", "[]"}})).size(), 4U);
  EXPECT_EQ(graph(files, {{"inputs.rates", R"([{"rat": 1}])"}}).complaints,
            Texts{"p.yml:13:47: the step given has no input 'rat'"});
  EXPECT_EQ(graph(files, {{"inputs.rates", R"([{"rate": "x"}])"}}).complaints,
            Texts{"p.yml:13:47: jobs.given.0.inputs.rate must be a number, not 'x'"});
}

TEST(PipelineControl, ItemsThatAStepMakesAreStepsOfOneStep) {
  const Files files = {{"p.yml", R"(
type: pipeline
jobs:
  each: {command: "x ${{inputs.i}} ${{inputs.j}}", inputs: {i: , j: 1}}
  loop: {type: parallel_for, body: each, items: "${{parent.jobs.list.outputs.all}}"}
  list: {command: x, outputs: {all: {type: string}}}
)"}};
  const Graph made = good_graph(files);
  EXPECT_EQ(names(made), (Texts{"list", "each"}));
  EXPECT_EQ(step(made, "each").items, (MadeBy{{0, "all"}}));
  EXPECT_EQ(needs(made, "each"), Texts{"list"});
  EXPECT_EQ(input(made, "each", "i"), "");
  EXPECT_EQ(input(made, "each", "j"), "1");
}

TEST(PipelineControl, WhatCannotBeIsSaid) {
  const PipelineReading reading = read_all({{"p.yml", R"(
type: pipeline
jobs:
  a: {command: x, outputs: {o: }, inputs: {i: 1}}
  b: {command: x, inputs: {i: "${{parent.jobs.each.outputs.o}}"}}
  each: {type: parallel_for, body: a, items: [{j: 1}, 3]}
  some: {type: parallel_for, body: b, items: "x ${{parent.jobs.a.outputs.o}}"}
  none: {type: if_else, condition: "yes", true_block: zz}
  same: {type: do_while, body: a, condition: o, mapping: {}, limits: {max_iteration_count: 2}}
)"}});
  EXPECT_EQ(told(reading.complaints),
            (Texts{"p.yml:5:32: the step 'each' has no output\n  hint: a step that runs for each "
                   "of some items leaves many of them",
                   "p.yml:6:48: the step a has no input 'j'\n  hint: did you mean i?",
                   "p.yml:6:55: an item must be a map, not text\n  hint: for example: items: "
                   "[{epochs: 3}, {epochs: 10}], with inputs of the body",
                   "p.yml:7:46: these are no items\n  hint: write them here, or "
                   "${{parent.inputs.NAME}}, or ${{parent.jobs.STEP.outputs.NAME}}",
                   "p.yml:8:36: 'yes' is no condition\n  hint: write true, false or "
                   "${{parent.jobs.STEP.outputs.NAME}}",
                   "p.yml:8:55: there is no step 'zz'",
                   "p.yml:9:32: the step a cannot be the body of this loop\n  hint: it is the "
                   "body of another one"}));
}

}  // namespace
}  // namespace muster::job
