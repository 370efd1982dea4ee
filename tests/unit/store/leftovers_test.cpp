// What muster keeps beside records is its own.
#include "store/leftovers.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "process/fresh_file.hpp"
#include "store/folder.hpp"
#include "unit/folder.hpp"

namespace muster::store {
namespace {

TEST(Leftovers, WhatMusterKeepsBesideRecordsIsKnown) {
  const unit::Folder folder;
  folder.file(std::string(kCheckpointsLock), "", false);
  folder.file(".index.sqlite", "", false);
  for (const char* name : {".blobs", ".steps", ".queued", ".registered", ".fetched", ".placed"}) {
    std::filesystem::create_directory(folder.path() + "/" + name);
  }
  const Leftovers found = leftovers_in(folder.path(), {});
  EXPECT_EQ(found.strange, std::vector<std::string>{});
  EXPECT_EQ(found.paths, std::vector<std::string>{});
  EXPECT_TRUE(is_of_records(folder.path()));
}

TEST(Leftovers, TheSameNameOfAnotherKindIsNot) {
  const unit::Folder folder;
  std::filesystem::create_directory(folder.path() + "/" + std::string(kCheckpointsLock));
  folder.file(".blobs", "", false);
  const Leftovers found = leftovers_in(folder.path(), {});
  EXPECT_EQ(found.strange, (std::vector<std::string>{".blobs", ".checkpoints"}));
}

// As a process that was killed leaves it where files without a name cannot be made.
TEST(Leftovers, FilesThatWereToTakeThePlaceOfOthersGoWithTime) {
  const unit::Folder folder;
  const std::string run = "20261121-120000-bababa";
  const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(2);
  const std::vector<std::string> halves = {
      process::fresh_name("plan.json"),  run + "/" + process::fresh_name("report.json"),
      process::fresh_name(".fetched/a"), process::fresh_name(".placed/a"),
      process::fresh_name(".steps/a"),   ".steps/b.new"};
  const std::vector<std::string> others = {run + "/mine.new", run + "/mine.new-1",
                                           ".fetched/a.new"};
  for (const std::string& name :
       {run, std::string(".steps"), std::string(".fetched"), std::string(".placed")}) {
    std::filesystem::create_directory(folder.path() + "/" + name);
  }
  for (const auto* names : {&halves, &others}) {
    for (const std::string& name : *names) folder.file(name, "half", false);
  }
  EXPECT_EQ(leftovers_in(folder.path(), {run}).paths, std::vector<std::string>{});
  for (const auto* names : {&halves, &others}) {
    for (const std::string& name : *names) {
      std::filesystem::last_write_time(folder.path() + "/" + name, old);
    }
  }
  Leftovers found = leftovers_in(folder.path(), {run});
  std::vector<std::string> wanted = halves;
  std::ranges::sort(wanted);
  std::ranges::sort(found.paths);
  EXPECT_EQ(found.paths, wanted);
  EXPECT_EQ(found.strange, std::vector<std::string>{});
}

}  // namespace
}  // namespace muster::store
