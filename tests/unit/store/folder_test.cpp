// Where records are, and which one a person means.
#include "store/folder.hpp"

#include <gtest/gtest.h>

namespace muster::store {
namespace {

using Names = std::vector<std::string>;

const Names kNames = {"20261120-080000.000-bakido", "20261121-090000.000-badulo",
                      "20261121-100000.000-kufari"};

std::string found(const std::string& word) {
  const auto run = find_run(kNames, word);
  return run ? *run : run.error().what + " / " + run.error().hint;
}

TEST(Folder, WhatLiesBelowTheRecords) {
  const std::string run = "20261121-212530.123-kufa";
  EXPECT_TRUE(is_run_name(run));
  for (const char* name :
       {"2026", "20261121", "zebra", "", "2026112x-1", ".new-20261121-1", "20261121-/../up"}) {
    EXPECT_FALSE(is_run_name(name)) << name;
  }
  EXPECT_EQ(below_records("/r", "/r/" + run + "/steps/a"), run + "/steps/a");
  EXPECT_EQ(below_records("/r", "/other/" + run + "/steps/a"), run + "/steps/a");
  EXPECT_EQ(below_records("/20200101-x", "/20200101-x/" + run), run);
  EXPECT_EQ(below_records("/r", "/20200101-x/" + run), run);
  EXPECT_EQ(below_records("/r", "/rr/a"), "");
  EXPECT_EQ(below_records("/r", ""), "");
}

TEST(FindRun, TakesNamesAndTheirParts) {
  EXPECT_EQ(found("20261121-090000.000-badulo"), kNames[1]);
  EXPECT_EQ(found("20261120"), kNames[0]);
  EXPECT_EQ(found("bad"), kNames[1]);
  EXPECT_EQ(found("kufari"), kNames[2]);
  EXPECT_EQ(found("last"), kNames[2]);
}

TEST(FindRun, ComplainsOfOthers) {
  EXPECT_EQ(found("ba"),
            "2 runs are called ba..., the last is 20261121-090000.000-badulo / "
            "write more of its name");
  EXPECT_EQ(found("kufaro"), "no run kufaro / did you mean kufari?");
  EXPECT_EQ(found("x"), "no run x / `muster ps` lists them");
  EXPECT_FALSE(find_run({}, "last"));
}

TEST(RecordsFolder, IsNamedByTheEnvironment) {
  EXPECT_EQ(records_folder({"HOME=/h", "MUSTER_RECORDS=/r"}), "/r");
  EXPECT_EQ(records_folder({"HOME=/h", "XDG_STATE_HOME=/s"}), "/s/muster/runs");
  EXPECT_EQ(records_folder({"HOME=/h", "XDG_STATE_HOME="}), "/h/.local/state/muster/runs");
  EXPECT_EQ(records_folder({"HOME=relative"}), std::nullopt);
  EXPECT_EQ(records_folder({}), std::nullopt);
}

TEST(RunName, SortsByTimeAndCanBeSaid) {
  const model::Utc time{std::chrono::milliseconds(1'795'296'330'123)};
  EXPECT_EQ(run_name(time, 0), "20261121-212530.123-bababa");
  EXPECT_EQ(run_name(time, 1 + 16 * 2), "20261121-212530.123-dibaba");
}

}  // namespace
}  // namespace muster::store
