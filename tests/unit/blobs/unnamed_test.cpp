// Which contents of a store stay, and which go.
#include "blobs/unnamed.hpp"

#include <algorithm>
#include <fcntl.h>
#include <gtest/gtest.h>

#include "blobs/snapshot_of.hpp"
#include "unit/folder.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;

class Unnamed : public testing::Test {
 protected:
  // A record whose snapshot has a file with each of the texts; returns what its manifest is called.
  std::string record(const std::string& name, const std::vector<std::string>& texts) {
    const std::string code = folder_.path() + "/code";
    fs::remove_all(code);
    fs::create_directory(code);
    for (const std::string& text : texts) std::ofstream(code + "/" + text) << text;
    const process::UniqueFd hold = std::move(*store_.hold());
    const auto manifest = keep_all(store_, survey(code)->manifest, code);
    fs::create_directories(records_ + "/" + name);
    const std::string path = records_ + "/" + name + "/code.manifest";
    std::ofstream(path) << manifest_text(*manifest);
    return path;
  }

  // The texts of all contents.
  [[nodiscard]] std::string left() const {
    std::string texts;
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(records_ + "/.blobs")) {
      if (!entry.is_regular_file() || entry.path().filename() == "lock") continue;
      std::string text;
      std::ifstream(entry.path()) >> text;
      names.push_back(text);
    }
    std::ranges::sort(names);
    for (const std::string& name : names) texts += name;
    return texts;
  }

  [[nodiscard]] Dropped drop() const { return drop_unnamed(records_, {}); }

  unit::Folder folder_;
  const std::string records_ = folder_.path() + "/records";
  BlobStore store_{records_ + "/.blobs"};
};

TEST_F(Unnamed, WhatARecordNamesStays) {
  record("1", {"a", "b"});
  record("2", {"b", "c"});
  record("3/steps/train", {"d"});
  record("3/steps/tune/steps/trial_0", {"e"});
  record("3/steps/train@1", {"f"});
  record(".new-4", {"g"});
  EXPECT_EQ(drop().contents, 0U);
  EXPECT_EQ(left(), "abcdefg");
  fs::remove_all(records_ + "/1");
  fs::remove_all(records_ + "/3/steps/tune");
  const Dropped dropped = drop();
  EXPECT_EQ(dropped.contents, 2U);
  EXPECT_GT(dropped.bytes, 0U);
  EXPECT_EQ(left(), "bcdfg");
}

TEST_F(Unnamed, OfAPipelineEachFolderHasAManifest) {
  const std::string path = record("1", {"a"});
  fs::rename(path, records_ + "/1/code.0123456789abcdef.manifest");
  (void)drop();
  EXPECT_EQ(left(), "a");
}

TEST_F(Unnamed, ADryRunRemovesNothing) {
  fs::remove(record("1", {"a"}));
  EXPECT_EQ(drop_unnamed(records_, {.really = false}).contents, 1U);
  EXPECT_EQ(left(), "a");
}

TEST_F(Unnamed, OnlySomeAreMeant) {
  fs::remove(record("1", {"a"}));
  fs::remove(record("2", {"b"}));
  Hashes none;
  EXPECT_EQ(drop_unnamed(records_, {.really = true, .only = &none}).contents, 0U);
  EXPECT_EQ(left(), "ab");
}

TEST_F(Unnamed, NobodyIsAloneWhileARunBegins) {
  EXPECT_FALSE(store_.hold_alone());  // there is none yet
  {
    const process::UniqueFd hold = std::move(*store_.hold());
    const process::UniqueFd other = std::move(*store_.hold());
    EXPECT_FALSE(store_.hold_alone());
  }
  const process::UniqueFd alone = store_.hold_alone();
  EXPECT_TRUE(alone);
  EXPECT_FALSE(store_.hold_alone());
}

TEST_F(Unnamed, SomeRecordsCountAsGone) {
  record("1", {"a", "b"});
  record("2", {"b"});
  EXPECT_EQ(drop_unnamed(records_, {.really = false, .except = {"1"}}).contents, 1U);
  EXPECT_EQ(drop_unnamed(records_, {.really = false, .except = {"1", "2"}}).contents, 2U);
}

TEST_F(Unnamed, NobodyKnowsWhatADamagedManifestNames) {
  const std::string path = record("1", {"a"});
  fs::remove(record("2", {"b"}));
  std::ofstream(path) << "muster snapshot 2\n";
  const Dropped dropped = drop();
  EXPECT_EQ(dropped.contents, 0U);
  EXPECT_EQ(dropped.unread, std::vector<std::string>{"1/code.manifest"});
  EXPECT_EQ(left(), "ab");
  fs::remove(path);
  EXPECT_EQ(drop().contents, 2U);
}

TEST_F(Unnamed, LeftoversGoAndStrangersStay) {
  record("1", {"a"});
  std::ofstream(records_ + "/.blobs/new-1-2-3") << "half";
  std::ofstream(records_ + "/.blobs/notes") << "mine";
  fs::create_directory_symlink("/", records_ + "/.blobs/ab");
  const Dropped dropped = drop();
  EXPECT_EQ(dropped.leftovers, 1U);
  EXPECT_EQ(dropped.strange, (std::vector<std::string>{"ab", "notes"}));
  EXPECT_TRUE(fs::exists(records_ + "/.blobs/notes"));
}

// As another user may plant it between the look at a store and the removal.
TEST_F(Unnamed, AFolderThatHasBecomeALinkIsNotFollowed) {
  fs::remove(record("1", {"a"}));
  const std::string store = records_ + "/.blobs";
  const process::UniqueFd folder(::open(store.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::vector<std::string> strange;
  const std::vector<StoreEntry> entries = stored(folder.get(), strange);
  ASSERT_EQ(entries.size(), 1U);
  const std::string shelf = store + "/" + entries[0].hash.substr(0, 2);
  const std::string elsewhere = folder_.path() + "/elsewhere";
  fs::rename(shelf, elsewhere);
  fs::create_directory_symlink(elsewhere, shelf);
  EXPECT_FALSE(remove_stored(folder.get(), entries[0]));
  EXPECT_FALSE(fs::is_empty(elsewhere));
  EXPECT_EQ(drop().strange, std::vector<std::string>{entries[0].hash.substr(0, 2)});
  EXPECT_FALSE(fs::is_empty(elsewhere));
  fs::remove(shelf);
  fs::rename(elsewhere, shelf);
  EXPECT_TRUE(remove_stored(folder.get(), entries[0]));
}

// What lies in the copy of the code is the ranks' business.
TEST_F(Unnamed, FoldersOfRanksAreNotLookedAt) {
  record("1/code/steps/x", {"a"});
  EXPECT_EQ(drop().contents, 1U);
}

TEST_F(Unnamed, ARecordThatWasMovedStillNames) {
  record("1", {"a"});
  fs::rename(records_ + "/1", folder_.path() + "/elsewhere");
  fs::create_directory_symlink(folder_.path() + "/elsewhere", records_ + "/1");
  (void)drop();
  EXPECT_EQ(left(), "a");
}

TEST_F(Unnamed, NobodyKnowsWhatARecordOnADiskThatIsNotMountedNames) {
  record("1", {"a"});
  fs::remove(record("2", {"b"}));
  fs::create_directory(folder_.path() + "/disk");
  fs::rename(records_ + "/1", folder_.path() + "/disk/1");
  fs::create_directory_symlink(folder_.path() + "/disk/1", records_ + "/1");
  fs::create_directory_symlink("nowhere", records_ + "/.#notes");  // no record has such a name
  fs::rename(folder_.path() + "/disk", folder_.path() + "/away");
  const Dropped dropped = drop();
  EXPECT_EQ(dropped.contents, 0U);
  EXPECT_EQ(dropped.unread, std::vector<std::string>{"1"});
  EXPECT_EQ(left(), "ab");
  fs::rename(folder_.path() + "/away", folder_.path() + "/disk");
  EXPECT_EQ(drop().contents, 1U);
  EXPECT_EQ(left(), "a");
}

TEST_F(Unnamed, WithoutAStoreThereIsNothingToDo) { EXPECT_EQ(drop().contents, 0U); }

}  // namespace
}  // namespace muster::blobs
