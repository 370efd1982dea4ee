// Words of the commands for runs on record.
#include <gtest/gtest.h>

#include "front/record/front.hpp"

namespace muster::front {
namespace {

using Words = std::vector<std::string>;

base::Result<Reading> read(const std::string& command, const Words& words) {
  return front_of(command)->read({.called = command, .words = words});
}

RecordRequest request(const std::string& command, const Words& words) {
  auto reading = read(command, words);
  EXPECT_TRUE(reading && reading->records) << command;
  return reading && reading->records ? *reading->records : RecordRequest();
}

std::string complaint(const std::string& command, const Words& words) {
  const auto reading = read(command, words);
  return reading ? "none" : reading.error().what;
}

TEST(RecordFront, TakesOptionsBeforeAndAfterRuns) {
  const RecordRequest logs = request("logs", {"-f", "kufa", "--rank", "3", "--err"});
  EXPECT_EQ(logs.verb, RecordVerb::logs);
  EXPECT_EQ(logs.runs, Words{"kufa"});
  EXPECT_TRUE(logs.follow && logs.only_errors);
  EXPECT_EQ(logs.rank, 3U);
  EXPECT_EQ(request("rm", {"a", "--", "-b"}).runs, (Words{"a", "-b"}));
  const RecordRequest list = request("ps", {"-n5", "--experiment", "lines", "--json"});
  EXPECT_EQ(list.most, 5U);
  EXPECT_EQ(list.filter.experiment, "lines");
  EXPECT_TRUE(list.json);
}

TEST(RecordFront, TakesATimeFromWhichOnOutputIsMeant) {
  EXPECT_EQ(request("logs", {"--since", "90s", "-f", "a"}).since,
            (spec::Moment{.ago = std::chrono::seconds(90)}));
  EXPECT_EQ(complaint("logs", {"--since", "soon", "a"}),
            "--since must be a time or how long ago, not 'soon'");
}

TEST(RecordFront, ComplainsOfRunsThatAreMissingOrTooMany) {
  EXPECT_EQ(complaint("show", {}), "no run given");
  EXPECT_EQ(complaint("show", {"a", "b"}), "muster show takes one run at a time, not also 'b'");
  EXPECT_EQ(complaint("ps", {"a"}), "muster ps takes no words, such as 'a'");
  EXPECT_EQ(complaint("wait", {"a", "b"}), "none");
}

TEST(RecordFront, TakesWhatSelectsRuns) {
  const model::RunFilter filter =
      request("rm", {"--older-than", "30d", "--state=failed", "--state", "died", "--tag", "a=b=c",
                     "--tag", "x", "--dry-run", "-y"})
          .filter;
  EXPECT_EQ(filter.older_than, std::chrono::days(30));
  EXPECT_EQ(filter.states, (std::vector{model::RunState::failed, model::RunState::died}));
  ASSERT_EQ(filter.tags.size(), 2U);
  EXPECT_EQ(filter.tags[0].name, "a");
  EXPECT_EQ(filter.tags[0].value, "b=c");
  EXPECT_EQ(filter.tags[1].value, std::nullopt);
  for (const char* age : {"30", "d", "-1d", "1.5d", "3 d", "30days", "9999999w", ""}) {
    EXPECT_NE(complaint("ps", {"--older-than", age}), "none") << age;
  }
  EXPECT_EQ(complaint("rm", {"--state", "done"}), "--state: unknown state 'done'");
  EXPECT_EQ(complaint("rm", {"--state", "failed", "last"}),
            "runs are named, such as 'last', or selected by options, not both");
  EXPECT_EQ(complaint("rm", {"--yes"}), "no run given");
}

TEST(RecordFront, TakesWhatMayStay) {
  const RecordRequest gc = request("gc", {"--older-than", "2w", "--max-size=1.5GB", "--dry-run"});
  EXPECT_EQ(gc.verb, RecordVerb::collect);
  EXPECT_EQ(gc.filter.older_than, std::chrono::weeks(2));
  EXPECT_EQ(gc.max_size, 1'500'000'000U);
  EXPECT_TRUE(gc.dry_run);
  const RecordRequest hosts = request("gc", {"-H", "node1,me@node2", "-H", "node3"});
  ASSERT_EQ(hosts.reach.hosts.size(), 3U);
  EXPECT_EQ(hosts.reach.hosts[2].name, "node3");
  EXPECT_NE(complaint("gc", {"-H", "node1:"}), "none");
  EXPECT_EQ(complaint("gc", {}), "none");
  EXPECT_EQ(complaint("gc", {"last"}), "muster gc takes no words, such as 'last'");
  EXPECT_EQ(complaint("gc", {"--max-size", "much"}),
            "--max-size takes a size with its unit, not 'much'");
}

TEST(RecordFront, KeepsForARerunHowHostsAreReached) {
  const auto reading =
      front_of("rerun")->read({.called = "rerun",
                               .words = {"last", "--start-timeout", "60", "--ssh-identity", "key"},
                               .current_folder = "/here"});
  ASSERT_TRUE(reading && reading->records);
  const std::vector<ReachWish>& wishes = reading->records->reach_wishes;
  ASSERT_EQ(wishes.size(), 2U);
  EXPECT_EQ(wishes[0].option, "--start-timeout");
  EXPECT_EQ(wishes[0].value, "60");
  EXPECT_EQ(wishes[1].value, "/here/key");
  EXPECT_NE(complaint("rerun", {"last", "--lease", "long"}), "none");
}

TEST(RecordFront, ComplainsOfContradictions) {
  EXPECT_EQ(complaint("ps", {"--all", "-n", "3"}), "--all and -n cannot be combined");
  EXPECT_NE(complaint("logs", {"last", "--rank", "x"}), "none");
  EXPECT_NE(complaint("report", {"last", "--follow"}), "none");
}

}  // namespace
}  // namespace muster::front
