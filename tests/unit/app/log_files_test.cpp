// LogFiles: names, widths, and bytes as they came.
#include "app/log_files.hpp"

#include <gtest/gtest.h>

#include "unit/app/folder.hpp"

namespace muster::app {
namespace {

TEST(LogFiles, PadRanksToTheWidthOfTheLargest) {
  const Folder folder;
  auto logs = LogFiles::create(folder.path() + "/a/b", 11);
  ASSERT_TRUE(logs);
  logs->write(base::Rank(3), wire::Stream::out, std::string_view("x\0y\n", 4));
  logs->write(base::Rank(10), wire::Stream::err, "one");
  logs->write(base::Rank(10), wire::Stream::err, "two");
  EXPECT_EQ(folder.read("a/b/rank.03/stdout"), std::string("x\0y\n", 4));
  EXPECT_EQ(folder.read("a/b/rank.10/stderr"), "onetwo");
  EXPECT_EQ(logs->trouble(), "");
}

TEST(LogFiles, TenRanksNeedOneDigit) {
  const Folder folder;
  ASSERT_TRUE(LogFiles::create(folder.path(), 10));
  EXPECT_TRUE(std::filesystem::exists(folder.path() + "/rank.9/stdout"));
}

TEST(LogFiles, AFolderThatCannotBeMadeIsNamed) {
  const Folder folder;
  const std::string file = folder.file("taken", "", false);
  const auto logs = LogFiles::create(file + "/logs", 1);
  ASSERT_FALSE(logs);
  EXPECT_EQ(logs.error().fault, base::Fault::bad_file);
}

TEST(LogFiles, OfSpawnedRanksLieBelowTheNumberOfTheirWorld) {
  const Folder folder;
  auto logs = LogFiles::create(folder.path(), 2);
  ASSERT_TRUE(logs);
  logs->add({2, base::Rank(2), 11});
  logs->write(base::Rank(12), wire::Stream::err, "spawned");
  logs->write(base::Rank(1), wire::Stream::out, "first");
  EXPECT_EQ(folder.read("2/rank.10/stderr"), "spawned");
  EXPECT_EQ(folder.read("rank.1/stdout"), "first");
}

TEST(LogFiles, ThatCannotBeMadeForSpawnedRanksAreToldAndNothingElseIsHarmed) {
  const Folder folder;
  auto logs = LogFiles::create(folder.path(), 1);
  ASSERT_TRUE(logs);
  folder.file("2", "", false);
  logs->add({2, base::Rank(1), 1});
  logs->write(base::Rank(1), wire::Stream::out, "lost");
  logs->write(base::Rank(0), wire::Stream::out, "first");
  EXPECT_NE(logs->trouble().find("cannot make"), std::string::npos);
  EXPECT_EQ(folder.read("rank.0/stdout"), "first");
}

}  // namespace
}  // namespace muster::app
