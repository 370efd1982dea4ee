// Steps that decide about others: conditions and loops are written out.
#include <gtest/gtest.h>

#include "unit/job/drawn.hpp"

namespace muster::job {
namespace {

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
  EXPECT_EQ(
      told_in(reading.complaints),
      (Texts{"p.yml:5:32: the step 'each' has no output\n  hint: a step that runs for each "
             "of some items leaves many of them",
             "p.yml:6:48: the step a has no input 'j'\n  hint: declare it below the step's inputs:",
             "p.yml:6:55: an item must be a map, not text\n  hint: for example: items: "
             "[{epochs: 3}, {epochs: 10}], with inputs of the body",
             "p.yml:7:46: these are no items\n  hint: write them here, or "
             "${{parent.inputs.NAME}}, or ${{parent.jobs.STEP.outputs.NAME}}",
             "p.yml:8:36: 'yes' is not a condition\n  hint: write true, false or "
             "${{parent.jobs.STEP.outputs.NAME}}",
             "p.yml:8:55: there is no step 'zz'",
             "p.yml:9:32: the step a cannot be the body of this loop\n  hint: it is the "
             "body of another one"}));
}

}  // namespace
}  // namespace muster::job
