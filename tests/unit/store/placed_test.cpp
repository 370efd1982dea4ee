// Placed: what runs have written is theirs until somebody else writes there.
#include "store/placed.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "unit/folder.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

class PlacedTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(records() + "/one"); }
  [[nodiscard]] std::string records() const { return folder_.path() + "/records"; }
  [[nodiscard]] std::string place() const { return folder_.path() + "/out"; }
  void put(const std::string& name, const std::string& text = "1") const {
    const fs::path path = place() + "/" + name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::string users() const {
    std::string names;
    for (const auto& [name, facts] : placed().users().files) names += name + " ";
    return names;
  }
  [[nodiscard]] Placed placed() const { return {records(), place()}; }

  unit::Folder folder_;
};

TEST_F(PlacedTest, NothingAndEmptyFoldersAreNobodys) {
  EXPECT_EQ(users(), "");
  fs::create_directories(place() + "/a/b");
  EXPECT_EQ(users(), "");
  put("a/b/c");
  EXPECT_EQ(users(), "a/b/c ");
}

TEST_F(PlacedTest, WhatARunAddsIsItsOwnToItsEndAndLater) {
  put("mine");
  placed().begin("one/step");
  put("new");
  EXPECT_EQ(users(), "mine ");
  placed().end("one/step");
  EXPECT_EQ(users(), "mine ");
  put("later");
  EXPECT_EQ(users(), "later mine ");
  fs::remove(place() + "/mine");
  EXPECT_EQ(users(), "later ");
}

TEST_F(PlacedTest, WhatARunChangesIsItsOwnAfterwards) {
  put("mine");
  placed().begin("one");
  put("mine", "changed");
  placed().end("one");
  EXPECT_EQ(users(), "");
  put("mine", "by the user");
  EXPECT_EQ(users(), "mine ");
}

TEST_F(PlacedTest, OfSeveralRunsTheLastOneEndsIt) {
  placed().begin("one");
  placed().begin("one/step");
  put("a");
  placed().end("one/step");
  put("b");
  EXPECT_EQ(users(), "");
  placed().end("one");
  EXPECT_EQ(users(), "");
  put("c");
  EXPECT_EQ(users(), "c ");
}

TEST_F(PlacedTest, ARunThatWasKilledLosesItsClaimWithTheNextOnesEnd) {
  placed().begin("killed");
  put("a");
  placed().begin("one");
  placed().end("one");
  put("b");
  EXPECT_EQ(users(), "b ");
}

TEST_F(PlacedTest, AFileWithNamesThatNotesMightMisread) {
  placed().begin("one");
  put("a\nb\tc d");
  placed().end("one");
  EXPECT_EQ(users(), "");
}

TEST_F(PlacedTest, NotesOfSomebodyElseCountForNothing) {
  put("a");
  placed().note_all();
  EXPECT_EQ(users(), "");
  fs::permissions(records() + "/.placed", fs::perms::all);  // anybody may have written them
  EXPECT_EQ(users(), "a ");
}

TEST_F(PlacedTest, OfVeryManyFilesNotAllAreLookedAt) {
  for (int i = 0; i <= 20'000; ++i) put(std::to_string(i), "");
  EXPECT_FALSE(placed().users().are_all);
  placed().begin("one");
  placed().end("one");
  EXPECT_FALSE(placed().users().are_all) << "whose they are is not known";
  placed().note_all();
  EXPECT_EQ(users(), "");
}

}  // namespace
}  // namespace muster::store
