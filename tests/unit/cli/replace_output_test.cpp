// replace_output: all of the old one goes, and nothing that is not the output's.
#include "cli/replace_output.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/stat.h>

#include "unit/folder.hpp"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

class ReplaceOutput : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }

  unit::Folder folder_;
};

TEST_F(ReplaceOutput, WhatTheUserHasPutThereIsKeptBesideIt) {
  put("new/a/b", "1");
  put("out/old", "0");
  put("record/x", "");
  EXPECT_EQ(replace_output(path("new"), path("out/"), path("record")), path("out.before-record"));
  EXPECT_EQ(text("out/a/b"), "1");
  EXPECT_FALSE(fs::exists(path("out/old")));
  EXPECT_EQ(text("out.before-record/old"), "0");
  EXPECT_EQ(text("new/a/b"), "1");
  EXPECT_EQ(count(), 5U) << "and what is noted of it";
}

TEST_F(ReplaceOutput, WhatMusterHasPutThereGoes) {
  put("new/a", "1");
  EXPECT_EQ(replace_output(path("new"), path("out"), path("record")), "");
  put("new/a", "2");
  EXPECT_EQ(replace_output(path("new"), path("out"), path("later")), "");
  EXPECT_EQ(text("out/a"), "2");
  EXPECT_EQ(count(), 3U);
}

TEST_F(ReplaceOutput, WhatHasBeenChangedSinceIsTheUsers) {
  put("new/a", "1");
  EXPECT_EQ(replace_output(path("new"), path("out"), path("record")), "");
  put("out/mine", "");
  EXPECT_EQ(replace_output(path("new"), path("out"), path("later")), path("out.before-later"));
  EXPECT_TRUE(fs::exists(path("out.before-later/mine")));
}

TEST_F(ReplaceOutput, AFileDoesNotBecomeAFolder) {
  put("new/a", "1");
  put("out", "0");
  EXPECT_EQ(replace_output(path("new"), path("out"), path("record")), path("out.before-record"));
  EXPECT_EQ(text("out.before-record"), "0");
  fs::create_directory(path("empty"));
  EXPECT_EQ(replace_output(path("new"), path("empty"), path("record")), "");
  EXPECT_EQ(text("empty/a"), "1");
}

TEST_F(ReplaceOutput, AFileReplacesAFileAndFoldersAreMade) {
  put("new", "1");
  put("deep/out", "0");
  ASSERT_TRUE(replace_output(path("new"), path("deep/out"), path("record")));
  EXPECT_EQ(text("deep/out"), "1");
  ASSERT_TRUE(replace_output(path("new"), path("deeper/down/out"), path("record")));
  EXPECT_EQ(text("deeper/down/out"), "1");
}

TEST_F(ReplaceOutput, WhatALinkLeadsToIsReplaced) {
  put("new/a", "1");
  put("disk/out/old", "0");
  fs::create_directory_symlink(path("disk/out"), path("out"));
  ASSERT_TRUE(replace_output(path("new"), path("out"), path("record")));
  EXPECT_EQ(text("disk/out/a"), "1");
  EXPECT_FALSE(fs::exists(path("disk/out/old")));
}

TEST_F(ReplaceOutput, WhatIsNoFileIsLeftOutOrRefused) {
  put("new/a", "1");
  put("out", "0");
  ASSERT_EQ(::mkfifo(path("new/pipe").c_str(), 0600), 0);
  ASSERT_TRUE(replace_output(path("new"), path("out"), path("record")));
  EXPECT_EQ(text("out/a"), "1");
  EXPECT_FALSE(fs::exists(path("out/pipe")));
  const auto refused = replace_output(path("new/pipe"), path("out"), path("record"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, path("new/pipe") + " is a fifo, not a file or a folder");
  EXPECT_EQ(text("out/a"), "1");
}

TEST_F(ReplaceOutput, NoFolderCanBeMadeForIt) {
  put("new", "1");
  put("file", "");
  const auto refused = replace_output(path("new"), path("file/out"), path("record"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "cannot make " + path("file") + ": Not a directory");
}

TEST_F(ReplaceOutput, WhatHoldsMoreStays) {
  put("new/a", "1");
  put("records/run/x", "0");
  const auto around = replace_output(path("new"), path("records"), path("records/run"));
  ASSERT_FALSE(around);
  EXPECT_EQ(around.error().what,
            path("records") + " holds more than the output, and is not replaced");
  EXPECT_FALSE(replace_output(path("new"), fs::current_path(), path("records/run")));
  EXPECT_TRUE(replace_output(path("none"), path("records"), path("records/run")));  // nothing to do
  EXPECT_EQ(text("records/run/x"), "0");
}

}  // namespace
}  // namespace muster::cli
