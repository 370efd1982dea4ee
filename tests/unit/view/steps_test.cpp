// Steps of a pipeline in words, tables, drawings and JSON.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "view/graph_drawing.hpp"
#include "view/graph_rail.hpp"
#include "view/pipeline_plan.hpp"
#include "view/record_json.hpp"
#include "view/record_words.hpp"
#include "view/step_words.hpp"
#include "view/steps_json.hpp"

namespace muster::view::steps_test {
namespace {

using model::PlannedStep;
using model::RunRecord;
using model::RunState;
using model::StepRecord;
using model::StepState;
using model::Utc;
using std::chrono::milliseconds;

constexpr Utc kTime{milliseconds(1'795'296'330'123)};

RunRecord failed() {
  RunRecord record;
  record.run = "20261121-212530.123-kufari";
  record.state = RunState::failed;
  record.hosts = {"node1"};
  record.steps = {
      {"prepare", StepState::reused, "", 0, kTime, kTime},
      {"train", StepState::failed, "rank 1 on node1 exited with code 3", 3, kTime,
       kTime + milliseconds(12'000)},
      {"later", StepState::failed, "", 4, kTime, kTime + milliseconds(13'000)},
      {"evaluate", StepState::blocked, "train failed", {}, {}, {}},
  };
  record.cause = pipeline_cause(record);
  return record;
}

TEST(Steps, TheFirstFailureInTimeIsTheCause) {
  EXPECT_EQ(failed().cause,
            "step train failed with exit code 3: rank 1 on node1 exited with code 3");
  EXPECT_EQ(pipeline_report(failed()),
            "muster: the pipeline failed: step train failed with exit code 3: rank 1 on node1 "
            "exited with code 3\n"
            "  1 of 4 steps completed, 2 failed: train, later; not run: evaluate\n"
            "  muster rerun 20261121-212530.123-kufari goes on from there\n");
}

TEST(Steps, OneThatCompletedHasNoReport) {
  RunRecord record = failed();
  record.state = RunState::completed;
  EXPECT_EQ(pipeline_report(record), "");
  EXPECT_EQ(pipeline_cause(record), "");
}

TEST(Steps, ATableTellsEach) {
  EXPECT_EQ(steps_table(failed(), kTime),
            "step        prepare   reused                      0.0 s\n"
            "step        train     failed with exit code 3      12 s  rank 1 on node1 exited with "
            "code 3\n"
            "step        later     failed with exit code 4      13 s\n"
            "step        evaluate  blocked                            train failed\n");
  EXPECT_EQ(step_sentence(failed().steps[1], kTime),
            "train failed with exit code 3 after 12 s: rank 1 on node1 exited with code 3");
}

TEST(Steps, SurviveTheWayThroughJson) {
  const RunRecord record = failed();
  EXPECT_EQ(read_record(record_json(record, kTime)), record);
  RunRecord step;
  step.reused_from = "/runs/x/steps/train";
  EXPECT_EQ(read_record(record_json(step, kTime)), step);
}

TEST(Steps, EventsTellHowFarTheyHaveCome) {
  RunRecord record = failed();
  std::vector<StepRecord> steps = {{"prepare", {}, {}, {}, {}, {}}, {"train", {}, {}, {}, {}, {}}};
  const std::string events = event_line(kTime, "created") + step_line(kTime, record.steps[0]) +
                             step_line(kTime, record.steps[3]) + "{\"event\":\"step\"}\nno JSON\n" +
                             step_line(kTime, record.steps[1]) + "{\"torn";
  hear_steps(events, steps);
  EXPECT_EQ(steps, (std::vector<StepRecord>{record.steps[0], record.steps[1]}));
}

TEST(Steps, AreCountedWhereRanksWouldBe) {
  EXPECT_EQ(record_cells(failed(), kTime)[4], "1 of 4 steps completed, 2 failed");
}

TEST(Steps, ThePlanIsJson) {
  const PlannedStep first{{}, {}};
  const PlannedStep second{{0}, {}, 2, 4};
  const auto plan = nlohmann::json::parse(steps_json({{"a", first}, {"b\"", second}}));
  EXPECT_EQ(plan["steps"][1],
            nlohmann::json::parse(R"({"step":"b\"","after":["a"],"nodes":2,"slots":4})"));
  EXPECT_FALSE(plan.contains("names"));
  const std::string named = steps_json({{"a", first}}, {{"azureml:x:1", "/x"}});
  EXPECT_EQ(nlohmann::json::parse(named)["names"], nlohmann::json({{"azureml:x:1", "/x"}}));
  EXPECT_EQ(read_steps(named).size(), 1U);
  const std::string warned = steps_json({{"a", first}}, {}, "it would not start");
  EXPECT_EQ(nlohmann::json::parse(warned)["notices"], nlohmann::json({"it would not start"}));
  EXPECT_EQ(read_steps(warned).size(), 1U);
}

TEST(Steps, ThePlanIsATableBesideItsEdges) {
  const PlannedStep first{{}, {}};
  const PlannedStep second{{0}, {}, 2, 4};
  EXPECT_EQ(pipeline_plan({{"prepare", first, {"node1"}, ""},
                           {"train", second, {"node1", "node2"}, ""},
                           {"other", second, {}, "left out"}}),
            "     STEP     SIZE                   WHERE\n"
            "○    prepare  1 process              node1\n"
            "├─●  train    2 nodes x 4 processes  node1, node2\n"
            "●    other    2 nodes x 4 processes  left out\n");
}

TEST(Steps, ThePlanFitsATerminal) {
  const PlannedStep first{{}, {}};
  const PlannedStep second{{0}, {}, 2, 4};
  const std::vector<PlannedRow> rows = {{"prepare", first, {"node1"}, ""},
                                        {"train", second, {"node1", "node2"}, ""}};
  EXPECT_EQ(pipeline_plan(rows, 80), pipeline_plan(rows));
  const std::string narrow = pipeline_plan(rows, 45);
  EXPECT_NE(narrow.find("  2 nodes x 4 processes  node1, ...\n"), std::string::npos) << narrow;
}

TEST(Steps, ThePlanIsReadBack) {
  const PlannedStep first{{}, {}};
  const PlannedStep second{{0}, {}};
  const auto edges = read_steps(steps_json({{"a", first}, {"b\"", second}}));
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[1].name, "b\"");
  EXPECT_EQ(edges[1].after, std::vector<std::size_t>{0});
  EXPECT_TRUE(read_steps("{}").empty());
  EXPECT_TRUE(read_steps("no JSON").empty());
  EXPECT_TRUE(read_steps(R"({"steps":[1]})").empty());
  EXPECT_TRUE(read_steps(R"({"steps":[{"step":"a","after":["later",1]}]})")[0].after.empty());
}

TEST(Drawing, IsMermaid) {
  EXPECT_EQ(mermaid({{"a", {}, StepState::completed, "completed, 1.0 s"}, {"b<\"", {0}, {}, ""}}),
            "flowchart TD\n"
            "  s0[\"a<br>completed, 1.0 s\"]\n"
            "  style s0 fill:#c8e6c9\n"
            "  s1[\"b&#60;&#34;\"]\n"
            "  s0 --> s1\n"
            "  style s1 fill:#f5f5f5\n");
}

TEST(Drawing, IsSvgInLayers) {
  const std::string text = svg({{"a", {}, {}, ""}, {"b&", {0}, {}, ""}, {"c", {0}, {}, ""}});
  EXPECT_TRUE(
      text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"432\" "
                       "height=\"196\""))
      << text;
  EXPECT_EQ(text.find("b&<"), std::string::npos);
  EXPECT_NE(text.find(">b&#38;<"), std::string::npos);
  EXPECT_NE(text.find(R"(x="228" y="116")"), std::string::npos) << "c is beside b, below a";
}

TEST(GraphRail, DrawsEdgesThatCross) {
  EXPECT_EQ(graph_rail({{}, {0}, {0}, {1, 2}, {}, {4, 0}, {3, 5}}),
            (std::vector<std::string>{"○", "├─●", "├─┼─●", "│ ●─╯", "│ │ ○", "●─┼─╯", "●─╯"}));
}

TEST(GraphRail, LeavesOutWhatDoesNotFit) {
  EXPECT_EQ(graph_rail({{}, {}, {}, {0, 1, 2}}, 2),
            (std::vector<std::string>{"○", "│ ○", "│ │", "●─╯"}));
}

}  // namespace
}  // namespace muster::view::steps_test
