// replace_file: the old text or the new one, and nothing beside it.
#include "store/files.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "unit/folder.hpp"

namespace muster::store {
namespace {

namespace fs = std::filesystem;

// Files of this process hold no more than this, as on a disk that is full.
class Room {
 public:
  explicit Room(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit less{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &less);
  }
  ~Room() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

 private:
  rlimit before_{};
  void (*signal_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

class FilesTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.path() + "/file"; }
  [[nodiscard]] std::size_t files() const {
    const auto all = fs::directory_iterator(folder_.path());
    return static_cast<std::size_t>(std::distance(fs::begin(all), fs::end(all)));
  }

  unit::Folder folder_;
};

TEST_F(FilesTest, AReplacedFileHasTheNewTextAlone) {
  EXPECT_TRUE(replace_file(path(), "old"));
  EXPECT_TRUE(replace_file(path(), "new"));
  EXPECT_EQ(folder_.read("file"), "new");
  EXPECT_EQ(files(), 1U);
}

TEST_F(FilesTest, WhatFindsNoRoomLeavesNothing) {
  ASSERT_TRUE(replace_file(path(), "old"));
  {
    const Room room(4);
    EXPECT_FALSE(replace_file(path(), "longer than there is room for"));
    EXPECT_EQ(errno, EFBIG);
  }
  EXPECT_EQ(folder_.read("file"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(FilesTest, WhatCannotGetItsNameGoes) {
  fs::create_directories(path() + "/full");
  EXPECT_FALSE(replace_file(path(), "text"));
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(files(), 1U);
}

TEST_F(FilesTest, WhatSomebodyElsePutThereStays) {
  ASSERT_EQ(::mkfifo((path() + ".new").c_str(), 0600), 0);
  EXPECT_FALSE(replace_file(path(), "text"));
  EXPECT_TRUE(folder_.has("file.new"));
}

}  // namespace
}  // namespace muster::store
