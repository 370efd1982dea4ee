// replace_file: the old text or the new one, and nothing beside it.
#include "store/files.hpp"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>

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
  EXPECT_TRUE(replace_file(path(), "text"));
  EXPECT_EQ(files(), 2U);
}

TEST_F(FilesTest, AReplacedFileIsItsOwnersAlone) {
  folder_.file("file", "old", true);
  EXPECT_TRUE(replace_file(path(), "new"));
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(FilesTest, ANameMayBeAsLongAsAnyFiles) {
  const std::string longest = folder_.path() + "/" + std::string(NAME_MAX, 'x');
  for (const char* text : {"one", "two"}) {
    EXPECT_TRUE(replace_file(longest, text));
    EXPECT_EQ(read_file(longest), text);
  }
  EXPECT_EQ(files(), 1U);
  EXPECT_FALSE(replace_file(longest + "x", "text"));
  EXPECT_EQ(errno, ENAMETOOLONG);
  EXPECT_EQ(files(), 1U);
}

// Each writes another text again and again; whoever reads meanwhile finds one of them, whole.
TEST_F(FilesTest, ManyAtOnceDoNotMixWhatTheyWrite) {
  constexpr int kWriters = 20;
  constexpr int kTimes = 50;
  constexpr std::size_t kSize = 100'000;
  ASSERT_TRUE(replace_file(path(), std::string(kSize, 'a')));
  std::atomic<int> failed = 0;
  std::atomic<int> under_way = kWriters;
  std::vector<std::thread> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.emplace_back([&, i] {
      const std::string text(kSize, static_cast<char>('a' + i));
      for (int times = 0; times < kTimes; ++times) failed += replace_file(path(), text) ? 0 : 1;
      --under_way;
    });
  }
  bool are_whole = true;
  do {
    const std::string seen = read_file(path()).value_or("");
    are_whole = are_whole && seen == std::string(kSize, seen.empty() ? 'a' : seen.front());
  } while (under_way > 0);
  for (std::thread& one : writers) one.join();
  EXPECT_TRUE(are_whole);
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace muster::store
