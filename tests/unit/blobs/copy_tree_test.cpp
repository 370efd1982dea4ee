// copy_tree: what lies in a folder, whatever it is.
#include "blobs/copy_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "blobs/fingerprint.hpp"
#include "unit/folder.hpp"

namespace muster::blobs {
namespace {

namespace fs = std::filesystem;

class CopyTree : public testing::Test {
 protected:
  CopyTree() { fs::create_directories(path("from/sub")); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] Copied copy() const { return copy_tree(path("from"), path("to")); }

  unit::Folder folder_;
};

TEST_F(CopyTree, AllOfAFolderIsThereAsItWas) {
  put("from/a", "a");
  put("from/sub/b", "b");
  fs::create_symlink("../a", path("from/sub/link"));
  fs::create_symlink("/nowhere", path("from/lost"));
  ASSERT_EQ(::chmod(path("from/sub/b").c_str(), 0500), 0);
  ASSERT_EQ(::chmod(path("from/sub").c_str(), 0555), 0);
  const timespec times[] = {{5, 0}, {1234567890, 42}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path("from/a").c_str(), times, 0), 0);
  const Copied copied = copy();
  EXPECT_EQ(copied.why, 0) << copied.failed;
  EXPECT_TRUE(copied.left_out.empty());
  EXPECT_EQ(fingerprint(path("to"), LeadsOutLinks::as_they_are),
            fingerprint(path("from"), LeadsOutLinks::as_they_are));
  struct stat facts {};
  ASSERT_EQ(::stat(path("to/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mtim.tv_sec, 1234567890);
  EXPECT_EQ(facts.st_mtim.tv_nsec, 42);
  for (const char* one : {"from/sub", "to/sub"}) ::chmod(path(one).c_str(), 0700);
}

TEST_F(CopyTree, OddFilesAreNamedAndLeftOut) {
  put("from/a", "a");
  ASSERT_EQ(::mkfifo(path("from/sub/pipe").c_str(), 0600), 0);
  const Copied copied = copy();
  EXPECT_EQ(copied.why, 0);
  ASSERT_EQ(copied.left_out.size(), 1U);
  EXPECT_EQ(copied.left_out.front().path, "sub/pipe");
  EXPECT_EQ(copied.left_out.front().why, "a fifo");
  EXPECT_EQ(folder_.read("to/a"), "a");
  EXPECT_TRUE(fs::is_empty(path("to/sub")));
}

TEST_F(CopyTree, AFileALinkAndAFifoAlone) {
  put("one", "1");
  fs::create_symlink("one", path("link"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(copy_tree(path("one"), path("one.copy")).why, 0);
  EXPECT_EQ(folder_.read("one.copy"), "1");
  EXPECT_EQ(copy_tree(path("link"), path("link.copy")).why, 0);
  EXPECT_EQ(fs::read_symlink(path("link.copy")), "one");
  const Copied copied = copy_tree(path("pipe"), path("pipe.copy"));
  ASSERT_EQ(copied.left_out.size(), 1U);
  EXPECT_EQ(copied.left_out.front().path, "");
  EXPECT_FALSE(folder_.has("pipe.copy"));
}

TEST_F(CopyTree, WhatIsThereAlreadyStays) {
  put("from/a", "a");
  fs::create_directory(path("to"));
  put("to/mine", "mine");
  EXPECT_EQ(copy().why, EEXIST);
  EXPECT_EQ(folder_.read("to/mine"), "mine");
  EXPECT_FALSE(folder_.has("to/a"));
}

TEST_F(CopyTree, HalfACopyDoesNotStay) {
  put("from/a", "a");
  std::string deep = "from";
  for (int i = 0; i < 300; ++i) {
    deep += "/d";
    fs::create_directory(path(deep));
  }
  const Copied copied = copy();
  EXPECT_NE(copied.why, 0);
  const std::string what = cannot_copy(copied, "z").what;
  EXPECT_TRUE(what.starts_with("cannot copy " + path("from/d/d/d"))) << what;
  EXPECT_TRUE(what.ends_with("... to z: nested more than 256 folders deep")) << what;
  EXPECT_LT(what.size(), 300U) << what;
  EXPECT_FALSE(folder_.has("to"));
  EXPECT_EQ(cannot_copy({{}, "x/y", ENOSPC}, "z").what,
            "cannot copy x/y to z: No space left on device");
}

TEST_F(CopyTree, LinksThatLeadOutAreLeftOutWhereThatIsAsked) {
  fs::create_directories(path("from/d"));
  put("from/d/file", "1");
  for (const char* const target : {"file", "../d/file", "../.."}) {
    fs::create_symlink(target, path("from/d/" + std::to_string(std::string_view(target).size())));
  }
  fs::create_symlink("/etc", path("from/absolute"));
  fs::create_symlink("d/../..", path("from/through"));
  Copied copied = copy_tree(path("from"), path("to"), CopiedLinks::inside);
  EXPECT_EQ(copied.why, 0);
  std::ranges::sort(copied.left_out, {}, &LeftOut::path);
  ASSERT_EQ(copied.left_out.size(), 3U);
  EXPECT_EQ(copied.left_out.at(0).path, "absolute");
  EXPECT_EQ(copied.left_out.at(1).path, "d/5");
  EXPECT_EQ(copied.left_out.at(2).path, "through");
  EXPECT_EQ(copied.left_out.at(0).why, "a link that leads out of it");
  EXPECT_EQ(fs::read_symlink(path("to/d/4")), "file");
  EXPECT_EQ(fs::read_symlink(path("to/d/9")), "../d/file");
  EXPECT_FALSE(fs::is_symlink(path("to/absolute")));
  fs::create_symlink("from", path("link"));
  copied = copy_tree(path("link"), path("second"), CopiedLinks::inside);
  ASSERT_EQ(copied.left_out.size(), 1U);
  EXPECT_EQ(copied.left_out.front().path, "");
}

TEST_F(CopyTree, NothingIsThere) {
  const Copied copied = copy_tree(path("none"), path("to"));
  EXPECT_EQ(copied.why, ENOENT);
  EXPECT_EQ(copied.failed, path("none"));
}

class Fingerprints : public CopyTree {
 protected:
  [[nodiscard]] std::string of(LeadsOutLinks links) const {
    const auto found = fingerprint(path("from"), links);
    return found ? *found : found.error().what;
  }
};

TEST_F(Fingerprints, WhatLinksLeadToCountsWhereItIsAsked) {
  put("out", "1");
  fs::create_symlink("../out", path("from/link"));
  const std::string as_is = of(LeadsOutLinks::as_they_are);
  const std::string contents = of(LeadsOutLinks::with_contents);
  put("out", "2");
  EXPECT_EQ(of(LeadsOutLinks::as_they_are), as_is);
  EXPECT_NE(of(LeadsOutLinks::with_contents), contents);
}

TEST_F(Fingerprints, LinksThroughLinksCountByWhereTheyEnd) {
  for (const char* one : {"v1", "v2"}) {
    fs::create_directory(path(one));
    put(std::string(one) + "/x", one);
    fs::create_symlink(std::string("../") + one, path(std::string("from/") + one));
  }
  fs::create_symlink("v1", path("now"));
  fs::create_symlink("../now", path("from/z"));
  const std::string before = of(LeadsOutLinks::with_contents);
  fs::remove(path("now"));
  fs::create_symlink("v2", path("now"));
  EXPECT_NE(of(LeadsOutLinks::with_contents), before);
}

TEST_F(Fingerprints, CirclesAndNothingEnd) {
  fs::create_symlink("..", path("from/up"));
  fs::create_symlink("self", path("from/self"));
  fs::create_symlink("nowhere", path("from/lost"));
  EXPECT_EQ(of(LeadsOutLinks::with_contents).size(), 64U) << of(LeadsOutLinks::with_contents);
}

TEST_F(Fingerprints, OddFilesAreNamed) {
  ASSERT_EQ(::mkfifo(path("from/pipe").c_str(), 0600), 0);
  EXPECT_EQ(of(LeadsOutLinks::with_contents),
            "cannot read " + path("from/pipe") + ": it is a fifo");
}

}  // namespace
}  // namespace muster::blobs
