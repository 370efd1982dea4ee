// Records survive the way to JSON and back; text that is none does no harm.
#include "view/record_json.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace muster::view {
namespace {

using model::RunRecord;
using model::Utc;
using std::chrono::milliseconds;

// 2026-11-21T21:25:30.123Z
constexpr Utc kTime{milliseconds(1'795'296'330'123)};

RunRecord record() {
  return {.run = "20261121-212530.123-kufari",
          .folder = "/runs/20261121-212530.123-kufari",
          .name = "line",
          .title = "A line",
          .experiment = "lines",
          .state = model::RunState::failed,
          .cause = "rank 1 on node1 exited with code 3 (pid 7): \"no\"",
          .exit_code = 3,
          .code_from = "rank",
          .created = kTime,
          .started = kTime + milliseconds(10),
          .ended = kTime + milliseconds(1510),
          .hosts = {"node1", "node2"},
          .ranks = 4,
          .command = {"python3", "train.py"},
          .outputs = {{"model", "/out/model"}},
          .tags = {{"stage", "dev"}, {"empty", ""}},
          .code = "/runs/code",
          .streams = "/runs/streams",
          .head = {"node0", 42, "boot"},
          .scheduler = {"kubernetes", "cluster", "lab", "team", "kufari-x1", "ana"}};
}

TEST(RecordJson, IsReadBack) {
  EXPECT_EQ(read_record(record_json(record(), kTime)), record());
  EXPECT_EQ(read_record(spec_json(record(), {}, "1.0")), record());
}

TEST(RecordJson, HasTheBestTrialAndWhatWasLogged) {
  RunRecord sweep = record();
  sweep.best = {"trial_1", "loss", 0.5};
  EXPECT_EQ(read_record(record_json(sweep, kTime)), sweep);
  sweep.logged = model::Logged{{{"loss", 0.5, 3}, {"acc", std::nan(""), 0}}, {{"lr", "0.1"}}};
  const std::string text = record_json(sweep, kTime);
  EXPECT_NE(text.find(R"("best":{"step":"trial_1","metric":"loss","value":0.5})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("metrics":{"loss":0.5,"acc":null},"params":{"lr":"0.1"})"),
            std::string::npos)
      << text;
  sweep.best.value = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(read_record(record_json(sweep, kTime))->best.value));
}

TEST(RecordJson, HasNullForWhatIsNotKnown) {
  RunRecord bare;
  bare.run = "x";
  const std::string text = record_json(bare, kTime);
  EXPECT_NE(text.find(R"("exit_code":null)"), std::string::npos);
  EXPECT_NE(text.find(R"("experiment":null)"), std::string::npos);
  EXPECT_EQ(read_record(text), bare);
}

TEST(RecordJson, TellsSecondsAndTimes) {
  const std::string text = record_json(record(), kTime);
  EXPECT_NE(text.find(R"("seconds":1.5)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("created":"2026-11-21T21:25:30.123Z")"), std::string::npos) << text;
}

TEST(RecordJson, FindsTheEndInTheEvents) {
  RunRecord failed = record();
  failed.state = model::RunState::failed;
  failed.exit_code = 3;
  failed.code_from = "muster";
  failed.cause = "rank 1 exited";
  failed.ended = kTime;
  const std::string events = event_line(kTime, "created") + run_ended_line(failed);
  const auto ending = ending_of(events);
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->state, failed.state);
  EXPECT_EQ(ending->exit_code, 3);
  EXPECT_EQ(ending->code_from, "muster");
  EXPECT_EQ(ending->cause, failed.cause);
  EXPECT_EQ(ending->time, kTime);
  EXPECT_FALSE(ending_of(std::string_view(events).substr(0, events.size() - 1)));
  EXPECT_FALSE(ending_of(event_line(kTime, "created")));
  EXPECT_FALSE(ending_of(""));
}

TEST(RecordJson, TheJobIsToldByTheLastEvent) {
  const std::string created = event_line(kTime, "created");
  const std::string queued = created + queued_line(kTime, "42");
  EXPECT_EQ(queued_as(queued), "42");
  EXPECT_EQ(queued_as(created + event_line(kTime, "queued")), "");
  EXPECT_EQ(queued_as(created), std::nullopt);
  EXPECT_EQ(queued_as(queued + event_line(kTime, "running")), std::nullopt);
  EXPECT_EQ(queued_as(std::string_view(queued).substr(0, queued.size() - 1)), std::nullopt);
}

TEST(RecordJson, LeavesOutWhatDoesNotFit) {
  for (const char* text : {"", "{", "[]", "3", "{}", R"({"state":"done"})", R"({"state":7})"}) {
    EXPECT_EQ(read_record(text), std::nullopt) << text;
  }
  const auto odd = read_record(
      R"({"state":"failed","ranks":"x","hosts":[1,"a"],"ended":"2026-13-01T00:00:00.000Z",
          "outputs":[1],"head":3,"exit_code":1.5})");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->hosts, std::vector<std::string>{"a"});
  EXPECT_EQ(odd->ended, std::nullopt);
  EXPECT_EQ(odd->exit_code, std::nullopt);
}

TEST(SpecJson, HoldsWhatWasAsked) {
  const model::TypedCommand asked{{"submit", "job.yml"}, "/home/me", {{"job.yml", "muster: 1\n"}}};
  EXPECT_EQ(read_asked(spec_json(record(), asked, "1.0")), asked);
  EXPECT_EQ(read_asked("{}"), std::nullopt);
}

TEST(Events, TellWhenSomethingHappened) {
  const std::string events = event_line(kTime, "created") +
                             rank_started_line(kTime, base::Rank(0), 9, "running") +
                             event_line(kTime + milliseconds(5), "running");
  EXPECT_EQ(time_of_event(events, "running"), kTime + milliseconds(5));
  EXPECT_EQ(time_of_event(events, "ended"), std::nullopt);
  EXPECT_EQ(time_of_event("{\"event\":\"running\"", "running"), std::nullopt);
}

TEST(Events, AreJson) {
  EXPECT_EQ(event_line(kTime, "created"),
            "{\"time\":\"2026-11-21T21:25:30.123Z\",\"event\":\"created\"}\n");
  EXPECT_EQ(rank_started_line(kTime, base::Rank(1), 9, "a\"b"),
            "{\"time\":\"2026-11-21T21:25:30.123Z\",\"event\":\"rank_started\",\"rank\":1,"
            "\"pid\":9,\"host\":\"a\\\"b\"}\n");
  model::RankExit exit{.rank = base::Rank(2), .pid = 7};
  exit.signal = 9;
  EXPECT_EQ(rank_ended_line(kTime, exit),
            "{\"time\":\"2026-11-21T21:25:30.123Z\",\"event\":\"rank_ended\",\"rank\":2,"
            "\"pid\":7,\"code\":null,\"signal\":9,\"max_rss_kib\":0}\n");
}

}  // namespace
}  // namespace muster::view
