// MetricFiles: what trials report is read once, as it comes, of all their runs.
#include "store/metric_files.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "unit/folder.hpp"

namespace muster::store {
namespace {

void append(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::app) << text;
}

std::vector<RankReport> reports(MetricFiles& files) {
  Allowance left;
  return files.read_new(left);
}

std::vector<double> values(MetricFiles& files) {
  std::vector<double> all;
  for (const RankReport& one : reports(files)) all.push_back(one.report.value);
  return all;
}

TEST(MetricFiles, ReadsOnlyWhatIsNew) {
  const unit::Folder folder;
  MetricFiles files(folder.path() + "/mlruns", "val/loss");
  EXPECT_TRUE(values(files).empty());  // nothing is there
  const std::string own = folder.path() + "/mlruns/0/abc/metrics/val/loss";
  append(own, "10 0.5 0\n20 0.");
  EXPECT_EQ(values(files), (std::vector<double>{0.5}));
  EXPECT_TRUE(values(files).empty());
  append(own, "25 1\n30 nonsense 2\n40 0.125 3\n");
  EXPECT_EQ(values(files), (std::vector<double>{0.25, 0.125}));
}

TEST(MetricFiles, OfSeveralRunsInTheOrderOfTime) {
  const unit::Folder folder;
  MetricFiles files(folder.path(), "acc");
  append(folder.path() + "/0/one/metrics/acc", "10 1 0\n30 3 1\n");
  append(folder.path() + "/0/one/metrics/loss", "10 7 0\n");
  append(folder.path() + "/5/two/metrics/acc", "20 2 0\n40 4 1\n");
  append(folder.path() + "/meta.yaml", "x");
  EXPECT_EQ(values(files), (std::vector<double>{1, 2, 3, 4}));
}

TEST(MetricFiles, RunsSayWhichRankMadeThem) {
  const unit::Folder folder;
  MetricFiles files(folder.path(), "acc");
  append(folder.path() + "/0/a/metrics/acc", "10 1 0\n");
  append(folder.path() + "/0/b/metrics/acc", "20 2 0\n");
  append(folder.path() + "/0/b/tags/muster.rank", "12");
  append(folder.path() + "/0/c/metrics/acc", "30 3 0\n");
  append(folder.path() + "/0/c/tags/muster.rank", "0");
  const auto all = reports(files);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], (RankReport{0, {30, 3, 0}}));
  EXPECT_EQ(all[1], (RankReport{12, {20, 2, 0}}));
  EXPECT_EQ(all[2].report, (sweep::Report{10, 1, 0}));  // which does not say, comes last
  EXPECT_GT(all[2].rank, 12U);
}

TEST(MetricFiles, LinksOfAScriptAreNotFollowed) {
  const unit::Folder folder;
  const std::string store = folder.path() + "/store";
  append(folder.path() + "/elsewhere/acc", "1 2 3\n");
  append(store + "/0/file/metrics/other", "1 2 3\n");
  std::filesystem::create_symlink(folder.path() + "/elsewhere/acc", store + "/0/file/metrics/acc");
  std::filesystem::create_directory(store + "/0/folder");
  std::filesystem::create_symlink(folder.path() + "/elsewhere", store + "/0/folder/metrics");
  append(folder.path() + "/other/run/metrics/acc", "1 2 3\n");
  std::filesystem::create_symlink(folder.path() + "/other", store + "/1");
  MetricFiles acc(store, "acc");
  EXPECT_TRUE(reports(acc).empty());
  MetricFiles other(store, "other");
  EXPECT_EQ(reports(other).size(), 1U);
}

TEST(MetricFiles, AMetricsNameLeadsNowhereElse) {
  const unit::Folder folder;
  append(folder.path() + "/secret", "1 2 3\n");
  append(folder.path() + "/runs/0/one/metrics/acc", "1 2 3\n");
  MetricFiles files(folder.path() + "/runs", "../../../../secret");
  EXPECT_TRUE(reports(files).empty());
}

// ---- what never ends ----

constexpr std::uint64_t kTerabytes = std::uint64_t{4} << 40;

// Turns until all that counts has been read.
int turns_to_the_end(MetricFiles& files, std::vector<double>& all) {
  int turns = 0;
  for (; files.has_more() && turns < 1000; ++turns) {
    for (const double value : values(files)) all.push_back(value);
  }
  return turns;
}

TEST(MetricFiles, HolesAreNotRead) {
  const unit::Folder folder;
  MetricFiles files(folder.path(), "acc");
  const std::string own = folder.path() + "/0/one/metrics/acc";
  append(own, "10 1 0\n");
  std::filesystem::resize_file(own, kTerabytes);
  append(own, "\n20 2 1\n");
  files.end();
  std::vector<double> all;
  EXPECT_LT(turns_to_the_end(files, all), 10);
  EXPECT_EQ(all, (std::vector<double>{1, 2}));
  EXPECT_EQ(files.skipped(), 0U);
}

// A trial that runs is not read from further back than its last reports.
TEST(MetricFiles, WhatIsFarBehindIsSkipped) {
  const unit::Folder folder;
  MetricFiles files(folder.path(), "acc");
  const std::string own = folder.path() + "/0/one/metrics/acc";
  append(own, "10 1 0\n");
  EXPECT_EQ(values(files), (std::vector<double>{1}));
  append(own, "20 2");
  std::filesystem::resize_file(own, kTerabytes);
  append(own, "7 7\n30 3 2\n");  // the first of these lines is the end of another
  std::vector<double> all = values(files);
  EXPECT_LT(turns_to_the_end(files, all), 1000);
  EXPECT_EQ(all, (std::vector<double>{3}));
  EXPECT_GT(files.skipped(), kTerabytes / 2);
}

TEST(MetricFiles, AWriterThatNeverEndsGetsABoundedPartOfEachTurn) {
  const unit::Folder folder;
  MetricFiles files(folder.path(), "acc");
  const std::string own = folder.path() + "/0/one/metrics/acc";
  std::string much;
  while (much.size() < Allowance().bytes) much += "10 1 0\n";
  for (int turn = 0; turn < 10; ++turn) {
    append(own, much);
    EXPECT_LE(values(files).size(), Allowance().bytes / 7);
    EXPECT_TRUE(files.has_more());
  }
  files.end();
  std::vector<double> all;
  int turns = 0;
  for (; files.has_more() && turns < 1000; ++turns) {
    append(own, much);  // whoever it is: the trial has ended
    for (const double value : values(files)) all.push_back(value);
  }
  EXPECT_LT(turns, 30);
}

TEST(MetricFiles, ManyRunsAreFoundAFewAtATime) {
  const unit::Folder folder;
  MetricFiles files(folder.path(), "acc");
  constexpr int kRuns = 50;
  for (int i = 0; i < kRuns; ++i) {
    append(folder.path() + "/0/run" + std::to_string(i) + "/metrics/acc", "10 1 0\n");
  }
  std::size_t found = 0;
  int turns = 0;
  for (; files.has_more() && turns < 1000; ++turns) {
    Allowance left{1000, 10};
    found += files.read_new(left).size();
  }
  EXPECT_EQ(found, std::size_t{kRuns});
  EXPECT_GE(turns, 2 * kRuns / 10);
}

using Metric = model::Logged::Metric;

TEST(LoggedIn, TheLastValueOfTheLowestRank) {
  const unit::Folder folder;
  const std::string store = folder.path() + "/mlruns";
  EXPECT_EQ(logged_in(store), model::Logged());  // nothing is there
  append(store + "/0/b/tags/muster.rank", "1");
  append(store + "/0/b/metrics/val/loss", "10 9 0\n");
  append(store + "/0/b/metrics/only_here", "10 1 0\n");
  append(store + "/0/b/params/lr", "0.5");
  append(store + "/0/c/tags/muster.rank", "0");
  append(store + "/0/c/metrics/val/loss", "10 3 0\n30 1 2\n20 2 1\nnonsense");
  append(store + "/0/c/metrics/acc", "10 nan 0");  // it is still being written
  append(store + "/0/c/params/lr", "0.1");
  const model::Logged logged = logged_in(store);
  ASSERT_EQ(logged.metrics.size(), 3U);
  EXPECT_EQ(logged.metrics[0].name, "acc");
  EXPECT_TRUE(std::isnan(logged.metrics[0].value));
  EXPECT_EQ(logged.metrics[1], (Metric{"only_here", 1, 0}));
  EXPECT_EQ(logged.metrics[2], (Metric{"val/loss", 1, 2}));
  EXPECT_EQ(logged.params, (std::vector<model::Tag>{{"lr", "0.1"}}));
}

TEST(LoggedIn, OfALongFileOnlyTheEndIsRead) {
  const unit::Folder folder;
  const std::string own = folder.path() + "/0/one/metrics/acc";
  append(own, "10 1 0\n");
  std::filesystem::resize_file(own, kTerabytes);
  append(own, "\n20 2 1\n");
  EXPECT_EQ(logged_in(folder.path()).metrics, (std::vector<Metric>{{"acc", 2, 1}}));
}

TEST(LoggedIn, LinksOfAScriptAreNotFollowed) {
  const unit::Folder folder;
  const std::string store = folder.path() + "/store";
  append(folder.path() + "/elsewhere/acc", "1 2 3\n");
  append(store + "/0/file/metrics/other", "1 2 3\n");
  std::filesystem::create_symlink(folder.path() + "/elsewhere/acc", store + "/0/file/metrics/acc");
  std::filesystem::create_symlink(folder.path() + "/elsewhere", store + "/0/file/params");
  EXPECT_EQ(logged_in(store).metrics, (std::vector<Metric>{{"other", 2, 3}}));
  for (const model::Tag& one : logged_in(store).params) EXPECT_EQ(one.value, "") << one.name;
}

}  // namespace
}  // namespace muster::store
