// A plan as a table and as JSON.
#include "view/plan.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/carriers.hpp"

namespace muster::view {
namespace {

using base::NodeIndex;
using base::Rank;

[[nodiscard]] model::Plan two_nodes() {
  model::Plan plan;
  model::Host here;
  here.name = "localhost";
  here.slots = 2;
  here.cpus = model::Cpus{16};
  model::Host far;
  far.name = "node1";
  far.carrier = model::kOpened;
  far.slots = 8;
  plan.nodes = {{here, {Rank(0), Rank(1)}}, {far, {Rank(2)}}};
  plan.ranks = {{NodeIndex(0), 0}, {NodeIndex(0), 1}, {NodeIndex(1), 0}};
  return plan;
}

[[nodiscard]] EnvironmentWords environment() {
  const auto own = [](Rank rank) -> std::vector<model::Variable> {
    return {{"RANK", std::to_string(rank.value), "torch"}};
  };
  return {{{"WORLD_SIZE", "3", "torch"}}, own};
}

struct Sample {
  model::JobSpec spec;
  model::Plan plan = two_nodes();
  std::vector<std::pair<std::string, std::string>> withheld;
  [[nodiscard]] PlanWords words() const {
    return {
        spec, plan, [](Rank rank) { return "slot " + std::to_string(rank.value); }, {}, withheld};
  }
  [[nodiscard]] PlanWords words_with_environment() const {
    PlanWords all = words();
    all.environment = environment();
    return all;
  }
};

[[nodiscard]] Take into(std::string& text) {
  return [&text](std::string_view piece) {
    text += piece;
    return true;
  };
}

[[nodiscard]] std::string table(const PlanWords& words, Style style = {}) {
  std::string text;
  plan_table(words, style, into(text));
  return text;
}

[[nodiscard]] std::string json_text(const PlanWords& words) {
  std::string text;
  plan_json(words, into(text));
  return text;
}

[[nodiscard]] nlohmann::json json_of(const PlanWords& words) {
  return nlohmann::json::parse(json_text(words));
}

TEST(PlanTable, HasOneAlignedRowPerRank) {
  EXPECT_EQ(table(Sample().words()),
            "rank  host       local rank  cores  reason\n"
            "   0  localhost           0     16  slot 0\n"
            "   1  localhost           1     16  slot 1\n"
            "   2  node1               0      ?  slot 2\n");
}

// Between words: below their column, or below the row where that leaves little room.
TEST(PlanTable, FoldsReasonsOnATerminal) {
  Sample sample;
  sample.withheld = {{"DISPLAY", "belongs to one host"}};
  PlanWords words = sample.words();
  words.reason = [](Rank) {
    return std::string("by slot: slot 1 of 2 on verylong.example.com (-H)");
  };
  const auto has = [&](std::size_t width, const std::string& lines) {
    EXPECT_NE(table(words, {.width = width}).find(lines), std::string::npos)
        << table(words, {.width = width});
  };
  const std::string row = "\n   0  localhost           0     16";
  has(0, row + "  by slot: slot 1 of 2 on verylong.example.com (-H)\n   1  ");
  has(85, row + "  by slot: slot 1 of 2 on verylong.example.com (-H)\n   1  ");
  has(80, row + "  by slot: slot 1 of 2 on verylong.example.com\n" + std::string(36, ' ') +
              "(-H)\n   1  ");
  has(50, row + "\n      by slot: slot 1 of 2 on verylong.example.com\n      (-H)\n   1  ");
  has(30, "\n  DISPLAY\n      (belongs to one host)\n");
}

TEST(PlanTable, ShowsCpusOnlyWhereRanksAreBound) {
  Sample sample;
  sample.plan.sets = {model::CpuSet::range(0, 3)};
  sample.plan.ranks[1].binding = 0;
  EXPECT_EQ(table(sample.words()),
            "rank  host       local rank  cores  bound to  reason\n"
            "   0  localhost           0     16  -         slot 0\n"
            "   1  localhost           1     16  0-3       slot 1\n"
            "   2  node1               0      ?  -         slot 2\n");
  const auto json = json_of(sample.words());
  EXPECT_EQ(json["ranks"][1]["bound_to"], "0-3");
}

TEST(PlanTable, ShowsCommonVariablesOnce) {
  const std::string text = table(Sample().words_with_environment());
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

TEST(PlanTable, ShowsTheVariablesOfOneRankForAll) {
  Sample sample;
  view::PlanWords words = sample.words_with_environment();
  words.environment->one_rank = true;
  const std::string ends =
      "\nenvironment of rank 0\n"
      "  RANK=0  (torch)\n"
      "  (--all-ranks shows those of the other 2 ranks, too)\n";
  EXPECT_TRUE(table(words).ends_with(ends)) << table(words);
  sample.plan.ranks.resize(2);
  EXPECT_TRUE(table(words).ends_with("shows those of the other rank, too)\n"));
  sample.plan.ranks.resize(1);
  EXPECT_TRUE(table(words).ends_with("  RANK=0  (torch)\n"));
  EXPECT_EQ(json_of(words)["ranks"][0]["environment"].size(), 1U);
}

TEST(PlanTable, EndsWithWhatStaysBehindAndNotices) {
  Sample sample;
  sample.withheld = {{"DISPLAY", "belongs to one host"}};
  sample.plan.notices = {"3 ranks on 2 cores"};
  EXPECT_TRUE(
      table(sample.words())
          .ends_with("\nvariables that are not passed on\n  DISPLAY  (belongs to one host)\n"
                     "\nnotice: 3 ranks on 2 cores\n"));
}

TEST(PlanTable, ColoursHeadings) {
  EXPECT_TRUE(table(Sample().words(), {.colour = true}).starts_with("\x1b[1mrank  host"));
}

TEST(PlanJson, HasTheDocumentedShape) {
  Sample sample;
  sample.spec.apps.front().command = {"python3", "train.py"};
  sample.withheld = {{"DISPLAY", "belongs to one host"}};
  sample.plan.notices = {"3 ranks on 2 cores"};
  const auto json = json_of(sample.words());
  EXPECT_EQ(json["apps"][0]["command"], nlohmann::json({"python3", "train.py"}));
  EXPECT_EQ(json["world_size"], 3);
  EXPECT_EQ(json["nodes"][1], nlohmann::json::parse(R"({"node":1,"host":"node1","reach":"ssh",
      "slots":8,"cpus":null,"ranks":[2]})"));
  EXPECT_EQ(json["ranks"][2], nlohmann::json::parse(R"({"rank":2,"node":1,"host":"node1",
      "local_rank":0,"app":0,"bound_to":null,"reason":"slot 2"})"));
  EXPECT_EQ(json["withheld"],
            nlohmann::json::parse(R"([{"name":"DISPLAY","why":"belongs to one host"}])"));
  EXPECT_EQ(json["notices"], nlohmann::json({"3 ranks on 2 cores"}));
}

TEST(PlanJson, IsValidForAnyBytes) {
  Sample sample;
  sample.spec.apps.front().command = {std::string("a\xff\0\"\n", 5)};
  const auto json = json_of(sample.words());
  EXPECT_EQ(json["apps"][0]["command"][0], std::string("a\\xff\0\"\n", 8));
}

TEST(PlanJson, OfAnEmptyPlanIsValid) {
  Sample sample;
  sample.plan = {};
  const auto json = json_of(sample.words());
  EXPECT_EQ(json["ranks"], nlohmann::json::array());
  EXPECT_EQ(json["world_size"], 0);
}

TEST(PlanJson, HasEnvironmentsOnlyWhenAskedFor) {
  const Sample sample;
  auto json = json_of(sample.words_with_environment());
  EXPECT_EQ(json["environment"],
            nlohmann::json::parse(R"({"WORLD_SIZE":{"value":"3","why":"torch"}})"));
  EXPECT_EQ(json["ranks"][2]["environment"],
            nlohmann::json::parse(R"({"RANK":{"value":"2","why":"torch"}})"));
  json.erase("environment");
  for (auto& rank : json["ranks"]) rank.erase("environment");
  EXPECT_EQ(json, json_of(sample.words()));
}

TEST(PlanJson, TellsTheEnvironmentOfALaunchersRanksWhereItIsKnown) {
  const Sample sample;
  const PlanWords without = sample.words();
  PlanWords words = sample.words_with_environment();
  words.inner = &without;
  EXPECT_EQ(json_of(words)["launched"], json_of(without)["ranks"]);
  EXPECT_FALSE(json_of(words).contains("launched_environment"));
  const PlanWords with = sample.words_with_environment();
  words.inner = &with;
  EXPECT_EQ(json_of(words)["launched"], json_of(with)["ranks"]);
  EXPECT_EQ(json_of(words)["launched_environment"], json_of(with)["environment"]);
}

TEST(PlanJson, EscapesVariables) {
  const Sample sample;
  PlanWords words = sample.words();
  words.environment = {{{"PS1", "\n\"\\\xff\x7f\u00e9", "-x"}},
                       [](Rank) -> std::vector<model::Variable> { return {}; }};
  const auto json = json_of(words);
  EXPECT_EQ(json["environment"]["PS1"]["value"], "\n\"\\\\xff\x7f\u00e9");
  EXPECT_EQ(json["ranks"][0]["environment"], nlohmann::json::object());
}

TEST(Plan, AsksForEachRankOnce) {
  int reasons = 0;
  int environments = 0;
  const Sample sample;
  PlanWords words = sample.words();
  words.reason = [&](Rank) { return ++reasons, std::string(); };
  words.environment = {{}, [&](Rank rank) { return ++environments, environment().own(rank); }};
  EXPECT_FALSE(table(words).empty());
  EXPECT_EQ(reasons, 3);
  EXPECT_EQ(environments, 3);
  EXPECT_FALSE(json_text(words).empty());
  EXPECT_EQ(reasons, 6);
  EXPECT_EQ(environments, 6);
}

// A plan that is too large for one piece.
struct Large : Sample {
  static constexpr std::uint32_t kRanks = 20'000;
  int asked = 0;

  Large() {
    for (std::uint32_t rank = 3; rank < kRanks; ++rank) {
      plan.nodes[1].ranks.emplace_back(rank);
      plan.ranks.push_back({NodeIndex(1), rank - 2});
    }
  }
  [[nodiscard]] PlanWords counted() {
    PlanWords all = words();
    all.reason = [this](Rank) { return ++asked, std::string(100, 'x'); };
    return all;
  }
};

TEST(Plan, IsHandedOnInPieces) {
  Large large;
  for (const auto put :
       {+[](const PlanWords&words, const Take&take) { plan_json(words, take); },
        +[](const PlanWords&words, const Take&take) { plan_table(words, {}, take); }}) {
    std::size_t most = 0;
    std::size_t sum = 0;
    put(large.counted(), [&](std::string_view piece) {
      most = std::max(most, piece.size());
      sum += piece.size();
      return true;
    });
    EXPECT_GT(sum, 100 * Large::kRanks);
    EXPECT_LT(most, 512 * 1024);
  }
}

TEST(Plan, EndsWhenNoMoreIsWanted) {
  Large large;
  int pieces = 0;
  const auto take = [&](std::string_view) { return ++pieces, false; };
  plan_json(large.counted(), take);
  plan_table(large.counted(), {}, take);
  EXPECT_EQ(pieces, 2);
  EXPECT_LT(large.asked, 10'000);
}

}  // namespace
}  // namespace muster::view
