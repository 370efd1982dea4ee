// Placed: what runs have written is theirs until somebody else writes there.
#include "store/placed.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "unit/files_limit.hpp"
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

// They are looked at like files: who makes very many of them is not waited for.
TEST_F(PlacedTest, FoldersWithoutEndAreNotAllLookedAt) {
  constexpr int kMany = 40'001;
  std::string many = "/dev/shm/muster-placed-XXXXXX";  // disks take long to make so many
  if (::mkdtemp(many.data()) == nullptr) GTEST_SKIP() << "no memory to put files in";
  for (int i = 0; i < kMany; ++i) fs::create_directory(many + "/" + std::to_string(i));
  const auto found = Placed(records(), many).users();
  fs::remove_all(many);
  EXPECT_FALSE(found.are_all);
  EXPECT_EQ(found.files.size(), 1U) << "what is not known may be somebody's";
}

TEST_F(PlacedTest, WhatIsTooDeepMayBeSomebodys) {
  constexpr int kDeep = 100;
  std::string path = "a";
  for (int i = 1; i < kDeep; ++i) path += "/a";
  fs::create_directories(place() + "/" + path);
  const unit::FilesLimit limit(64);
  ASSERT_TRUE(limit.is_set());
  EXPECT_FALSE(placed().users().are_all);
}

}  // namespace
}  // namespace muster::store
