// Pipelines: files become steps in an order, with their values.
#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

#include "unit/job/drawn.hpp"

namespace muster::job {
namespace {

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
  second:
    type: pipeline
    component: inner.yml
    inputs: {after: "${{parent.jobs.first.outputs.o}}"}
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
      e: {type: uri_file, path: "s3://h/f.csv"}
      n: ${{parent.inputs.n}}
)"}};
  EXPECT_EQ(graph(files).complaints,
            (Texts{"p.yml:3:41: the input data is where muster cannot reach it: 'azureml:d:1'\n"
                   "  hint: name a file or folder of the hosts: --set inputs.data=PATH, "
                   "or data: {d: PATH} in muster.yml",
                   "p.yml:9:33: the input e of step a is where muster cannot reach it: "
                   "'s3://h/f.csv'\n  hint: name a file or folder of the hosts: --set "
                   "jobs.a.inputs.e=PATH, or data: {\"s3://h/\": PATH} in muster.yml"}));
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
      told_in(reading.complaints),
      (Texts{"p.yml:10:16: the component 'missing.yml': cannot read missing.yml",
             "p.yml:12:16: the component 'azureml:c:1' is registered in Azure ML, where "
             "muster cannot reach it\n  hint: name its file: component: ./FILE.yml, or "
             "components: {c: ./FILE.yml} in muster.yml",
             "bad.yml:1:12: there is no input 'y'\n  hint: declare it below inputs:",
             "bad.yml:2:1: unknown key 'foo'\n  hint: keys that are allowed here: $schema, "
             "type, name, version, display_name, description, comment, tags, "
             "experiment_name, command, code, checkpoints, environment, environment_variables, "
             "unset, dialects, compute, distribution, resources, limits, inputs, outputs, "
             "is_deterministic"}));
}

TEST(Pipeline, ComponentsThatAreNoCommandsAreTold) {
  const PipelineReading reading = read_all(
      {{"p.yml",
        "type: pipeline\njobs:\n  a: {type: parallel, component: flow.yml}\n"
        "  b: {component: data.yml}\n"},
       {"flow.yml",
        "$schema: https://x/promptflow/latest/Flow.schema.json\nnodes: [{name: a, type: llm}]\n"},
       {"data.yml", "name: d\ntype: uri_folder\npath: d\n"}});
  EXPECT_EQ(
      told_in(reading.complaints),
      (Texts{"flow.yml:1:1: this is a prompt flow, which Azure ML carries out\n  hint: muster "
             "runs commands: jobs, pipelines and sweeps of them",
             "data.yml:2:1: this is a data asset, not a job\n  hint: muster runs commands: "
             "jobs, pipelines and sweeps of them"}));
}

TEST(Pipeline, ValuesThatDifferInAzureAreThoseThatCount) {
  const char* component =
      "type: command\ncommand: x ${{inputs.a}}\n"
      "inputs: {a: {type: boolean, default: false}}\n";
  const auto told = [&](const std::string& jobs) {
    return read_all({{"p.yml", "type: pipeline\njobs:\n" + jobs}, {"c.yml", component}}).notices;
  };
  const auto passed = [](const char* as, const char* by_azure) {
    return Texts{
        fmt::format("the input a is passed as {0}, as written; Azure ML would pass {1} "
                    "(write {1} to get the same in both)",
                    as, by_azure)};
  };
  EXPECT_EQ(told("  s: {component: c.yml}\n"), passed("false", "False"));
  EXPECT_EQ(told("  s: {component: c.yml, inputs: {a: yes}}\n"), passed("yes", "True"));
  EXPECT_EQ(told("  s: {component: c.yml, inputs: {a: False}}\n"), Texts());
  EXPECT_EQ(told("  s: {type: sweep, trial: c.yml, inputs: {a: False}, search_space: {}, "
                 "objective: {goal: minimize, primary_metric: m}}\n"),
            Texts());
}

TEST(Pipeline, ACommandWithCodeHasArtifactsUndeclared) {
  const std::string wants =
      "type: pipeline\njobs:\n"
      "  b: {command: y, inputs: {i: '${{parent.jobs.a.outputs.artifacts}}'}}\n";
  const Graph made = good_graph({{"p.yml", wants + "  a: {command: x, code: .}\n"}});
  EXPECT_EQ(names(made), (Texts{"a", "b"}));
  EXPECT_EQ(input(made, "b", "i"), "a:artifacts");
  const PipelineReading none = read_all({{"p.yml", wants + "  a: {command: x}\n"}});
  EXPECT_EQ(told_in(none.complaints), Texts{"p.yml:3:32: the step a has no output 'artifacts'\n"
                                            "  hint: declare it below the step's outputs:"});
  const std::string native = "muster: 1\ncommand: x\ncode: .\n";
  const PipelineReading own =
      read_all({{"p.yml", wants + "  a: {component: n.yml}\n"}, {"n.yml", native}});
  EXPECT_EQ(told_in(own.complaints), told_in(none.complaints)) << "a name like others";
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
  EXPECT_EQ(told_in(steps.complaints),
            Texts{"p.yml:4:3: these steps wait for one another: a -> c -> b -> a\n"
                  "  hint: one of them must do without an output of the next"});
  const PipelineReading files =
      read_all({{"p.yml", "type: pipeline\njobs: {a: {component: q.yml}}\n"},
                {"q.yml", "type: pipeline\njobs: {a: {component: r.yml}}\n"},
                {"r.yml", "type: pipeline\njobs: {a: {component: ./q.yml}}\n"}});
  EXPECT_EQ(told_in(files.complaints),
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
  const Drawn made = graph(files);
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
  const Drawn made = graph(files);
  EXPECT_EQ(made.complaints, Texts{"c29.yml:2:8: the pipeline has more than 20000 steps"});
  EXPECT_EQ(made.graph.steps.size(), kGraphStepsMax);
}

}  // namespace
}  // namespace muster::job
