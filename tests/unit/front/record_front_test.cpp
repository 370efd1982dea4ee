// Words of the commands for runs on record.
#include "front/record_front.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(list.experiment, "lines");
  EXPECT_TRUE(list.json);
}

TEST(RecordFront, ComplainsOfRunsThatAreMissingOrTooMany) {
  EXPECT_EQ(complaint("show", {}), "no run given");
  EXPECT_EQ(complaint("show", {"a", "b"}), "muster show takes one run at a time, not also 'b'");
  EXPECT_EQ(complaint("ps", {"a"}), "muster ps takes no words, such as 'a'");
  EXPECT_EQ(complaint("wait", {"a", "b"}), "none");
}

TEST(RecordFront, ComplainsOfContradictions) {
  EXPECT_EQ(complaint("ps", {"--all", "-n", "3"}), "--all contradicts -n");
  EXPECT_NE(complaint("logs", {"last", "--rank", "x"}), "none");
  EXPECT_NE(complaint("report", {"last", "--json"}), "none");
}

}  // namespace
}  // namespace muster::front
