// A plan as a table and as JSON.
#include "view/plan.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace muster::view {
namespace {

using base::NodeIndex;
using base::Rank;

[[nodiscard]] model::Plan two_nodes() {
  model::Plan plan;
  model::Host here;
  here.name = "localhost";
  here.slots = 2;
  here.cpus = 16;
  model::Host far;
  far.name = "node1";
  far.reach = model::Reach::ssh;
  far.slots = 8;
  plan.nodes = {{here, {Rank(0), Rank(1)}}, {far, {Rank(2)}}};
  plan.ranks = {{NodeIndex(0), 0}, {NodeIndex(0), 1}, {NodeIndex(1), 0}};
  return plan;
}

[[nodiscard]] std::vector<model::Variable> variables(Rank rank) {
  return {{"RANK", std::to_string(rank.value), "torch"}, {"WORLD_SIZE", "3", "torch"}};
}

struct Sample {
  model::JobSpec spec;
  model::Plan plan = two_nodes();
  std::vector<std::pair<std::string, std::string>> withheld;
  [[nodiscard]] PlanWords words() const {
    return {spec, plan, [](Rank rank) { return "slot " + std::to_string(rank.value); }, variables,
            withheld};
  }
};

TEST(PlanTable, HasOneAlignedRowPerRank) {
  EXPECT_EQ(plan_table(Sample().words(), false, {}),
            "rank  host       local rank  cpus  reason\n"
            "   0  localhost           0    16  slot 0\n"
            "   1  localhost           1    16  slot 1\n"
            "   2  node1               0     ?  slot 2\n");
}

TEST(PlanTable, ShowsCpusOnlyWhereRanksAreBound) {
  Sample sample;
  sample.plan.sets = {model::CpuSet::range(0, 3)};
  sample.plan.ranks[1].binding = 0;
  EXPECT_EQ(plan_table(sample.words(), false, {}),
            "rank  host       local rank  cpus  bound to  reason\n"
            "   0  localhost           0    16  -         slot 0\n"
            "   1  localhost           1    16  0-3       slot 1\n"
            "   2  node1               0     ?  -         slot 2\n");
  const auto json = nlohmann::json::parse(plan_json(sample.words()));
  EXPECT_EQ(json["ranks"][1]["bound_to"], "0-3");
}

TEST(PlanTable, ShowsCommonVariablesOnce) {
  const std::string text = plan_table(Sample().words(), true, {});
  const std::size_t at = text.find("\n\nenvironment");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text.substr(at + 1),
            "\nenvironment of every rank\n"
            "  WORLD_SIZE=3  (torch)\n"
            "\nenvironment of rank 0\n"
            "  RANK=0  (torch)\n"
            "\nenvironment of rank 1\n"
            "  RANK=1  (torch)\n"
            "\nenvironment of rank 2\n"
            "  RANK=2  (torch)\n");
}

TEST(PlanTable, EndsWithWhatStaysBehindAndNotices) {
  Sample sample;
  sample.withheld = {{"DISPLAY", "belongs to one host"}};
  sample.plan.notices = {"3 ranks on 2 cores"};
  EXPECT_TRUE(plan_table(sample.words(), false, {})
                  .ends_with("\nvariables that stay behind\n  DISPLAY  (belongs to one host)\n"
                             "\nnotice: 3 ranks on 2 cores\n"));
}

TEST(PlanTable, ColoursHeadings) {
  EXPECT_TRUE(
      plan_table(Sample().words(), false, {.colour = true}).starts_with("\x1b[1mrank  host"));
}

TEST(PlanJson, HasTheDocumentedShape) {
  Sample sample;
  sample.spec.apps.front().command = {"python3", "train.py"};
  sample.withheld = {{"DISPLAY", "belongs to one host"}};
  sample.plan.notices = {"3 ranks on 2 cores"};
  const auto json = nlohmann::json::parse(plan_json(sample.words()));
  EXPECT_EQ(json["apps"][0]["command"], nlohmann::json({"python3", "train.py"}));
  EXPECT_EQ(json["world_size"], 3);
  EXPECT_EQ(json["nodes"][1], nlohmann::json::parse(R"({"node":1,"host":"node1","reach":"ssh",
      "slots":8,"cpus":null,"ranks":[2]})"));
  EXPECT_EQ(json["ranks"][2], nlohmann::json::parse(R"({"rank":2,"node":1,"host":"node1",
      "local_rank":0,"app":0,"bound_to":null,"reason":"slot 2",
     "environment":{"RANK":{"value":"2","why":"torch"},
      "WORLD_SIZE":{"value":"3","why":"torch"}}})"));
  EXPECT_EQ(json["withheld"],
            nlohmann::json::parse(R"([{"name":"DISPLAY","why":"belongs to one host"}])"));
  EXPECT_EQ(json["notices"], nlohmann::json({"3 ranks on 2 cores"}));
}

TEST(PlanJson, IsValidForAnyBytes) {
  Sample sample;
  sample.spec.apps.front().command = {std::string("a\xff\0\"\n", 5)};
  const auto json = nlohmann::json::parse(plan_json(sample.words()));
  EXPECT_EQ(json["apps"][0]["command"][0], std::string("a\\xff\0\"\n", 8));
}

TEST(PlanJson, OfAnEmptyPlanIsValid) {
  Sample sample;
  sample.plan = {};
  const auto json = nlohmann::json::parse(plan_json(sample.words()));
  EXPECT_EQ(json["ranks"], nlohmann::json::array());
  EXPECT_EQ(json["world_size"], 0);
}

TEST(Plan, AsksForEachRankOnce) {
  int reasons = 0;
  int environments = 0;
  const Sample sample;
  PlanWords words = sample.words();
  words.reason = [&](Rank) { return ++reasons, std::string(); };
  words.environment = [&](Rank rank) { return ++environments, variables(rank); };
  static_cast<void>(plan_table(words, true, {}));
  EXPECT_EQ(reasons, 3);
  EXPECT_EQ(environments, 3);
  static_cast<void>(plan_json(words));
  EXPECT_EQ(reasons, 6);
  EXPECT_EQ(environments, 6);
}

}  // namespace
}  // namespace muster::view
