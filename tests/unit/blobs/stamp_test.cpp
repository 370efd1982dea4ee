// stamp: what the kernel says of files instead of their contents.
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "blobs/fingerprint.hpp"
#include "unit/folder.hpp"

namespace muster::blobs::stamp_test {
namespace {

namespace fs = std::filesystem;

class Stamps : public testing::Test {
 protected:
  Stamps() {
    folder_.file("far", "far", false);
    fs::create_directories(folder_.path() + "/in/sub");
    folder_.file("in/sub/a", "a", false);
    fs::create_symlink(folder_.path() + "/far", folder_.path() + "/in/link");
  }

  [[nodiscard]] std::string text() const {
    const auto found = stamp(folder_.path() + "/in", LeadsOutLinks::with_contents);
    EXPECT_TRUE(found);
    return found ? found->text : "";
  }

  // Whatever the clock of the file system says.
  void touch(const std::string& name) const {
    const std::string path = folder_.path() + "/" + name;
    struct stat before {};
    struct stat now {};
    ASSERT_EQ(::stat(path.c_str(), &before), 0);
    do {
      const timespec same[] = {before.st_atim, before.st_mtim};
      ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), same, 0), 0);
      ASSERT_EQ(::stat(path.c_str(), &now), 0);
    } while (now.st_ctim.tv_sec == before.st_ctim.tv_sec &&
             now.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
  }

  unit::Folder folder_;
};

TEST_F(Stamps, StayAsLongAsNothingChanges) {
  const std::string before = text();
  std::ifstream(folder_.path() + "/in/sub/a").get();
  EXPECT_EQ(text(), before);
}

// Of the same size, and with the old time put back.
TEST_F(Stamps, TellOfAnEditThatHides) {
  for (const char* const name : {"in/sub/a", "far"}) {
    const std::string before = text();
    touch(name);
    EXPECT_NE(text(), before) << name;
  }
}

TEST_F(Stamps, TellOfNamesAndLinks) {
  const std::string before = text();
  folder_.file("in/b", "", false);
  EXPECT_NE(text(), before);
  fs::remove(folder_.path() + "/in/b");
  EXPECT_EQ(text(), before);
  fs::remove(folder_.path() + "/far");
  EXPECT_NE(text(), before);
}

TEST_F(Stamps, AreNotOfWhatIsNoFile) {
  ASSERT_EQ(::mkfifo((folder_.path() + "/in/fifo").c_str(), 0600), 0);
  EXPECT_FALSE(stamp(folder_.path() + "/in", LeadsOutLinks::with_contents));
  EXPECT_FALSE(stamp(folder_.path() + "/none", LeadsOutLinks::with_contents));
}

// A change at the same tick of the file system's clock would not show.
TEST_F(Stamps, AreSettledWhenTheClockHasGoneOn) {
  const auto found = stamp(folder_.path() + "/in", LeadsOutLinks::with_contents);
  ASSERT_TRUE(found);
  struct stat newest {};
  ASSERT_EQ(::stat((folder_.path() + "/in/sub/a").c_str(), &newest), 0);
  EXPECT_EQ(found->newest.tv_sec, newest.st_ctim.tv_sec);
  EXPECT_EQ(found->newest.tv_nsec, newest.st_ctim.tv_nsec);
  const Stamp fine{"", {10, 950'000'000}};
  EXPECT_FALSE(fine.is_settled({10, 960'000'000}));
  EXPECT_FALSE(fine.is_settled({11, 50'000'000}));
  EXPECT_TRUE(fine.is_settled({11, 50'000'001}));
  const Stamp coarse{"", {10, 0}};
  EXPECT_FALSE(coarse.is_settled({12, 0}));
  EXPECT_TRUE(coarse.is_settled({14, 0}));
}

}  // namespace
}  // namespace muster::blobs::stamp_test
