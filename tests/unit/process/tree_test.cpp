// Removing whole folders on a real file system: nothing outside of them is touched.
#include "process/tree.hpp"

#include <atomic>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "unit/files_limit.hpp"
#include "unit/folder.hpp"
#include "unit/nest.hpp"

namespace muster::process {
namespace {

namespace fs = std::filesystem;

class Trees : public testing::Test {
 protected:
  Trees() : at_(::open(folder_.path().c_str(), O_RDONLY | O_DIRECTORY)) {}

  void put(const std::string& name, const std::string& text = "text") {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }

  unit::Folder folder_;
  UniqueFd at_;
};

TEST_F(Trees, AllOfItGoesAndIsCounted) {
  put("run/a", std::string(100'000, 'x'));
  put("run/deep/er/b");
  put("other/c");
  const std::uint64_t bytes = bytes_of(at_.get(), "run");
  EXPECT_GE(bytes, 100'000U);
  const Removed removed = remove_tree(at_.get(), "run");
  EXPECT_EQ(removed.bytes, bytes);
  EXPECT_EQ(removed.left, "");
  EXPECT_FALSE(fs::exists(path("run")));
  EXPECT_TRUE(fs::exists(path("other/c")));
}

TEST_F(Trees, LinksAreRemovedAndNotFollowed) {
  put("outside/file");
  fs::create_directory(path("run"));
  fs::create_directory_symlink(path("outside"), path("run/folder"));
  fs::create_symlink(path("outside/file"), path("run/file"));
  fs::create_directory_symlink(path("outside"), path("whole"));
  EXPECT_LT(bytes_of(at_.get(), "whole"), 4096U);
  EXPECT_EQ(remove_tree(at_.get(), "run").left, "");
  EXPECT_EQ(remove_tree(at_.get(), "whole").left, "");
  EXPECT_FALSE(fs::is_symlink(path("whole")));
  EXPECT_TRUE(fs::exists(path("outside/file")));
  EXPECT_FALSE(open_folder(at_.get(), "outside/none"));
}

TEST_F(Trees, WhatItsOwnerClosedGoesAsWell) {
  put("run/closed/a");
  put("run/shut/b");
  ASSERT_EQ(::chmod(path("run/closed").c_str(), 0500), 0);
  ASSERT_EQ(::chmod(path("run/shut").c_str(), 0), 0);
  EXPECT_EQ(remove_tree(at_.get(), "run").left, "");
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(Trees, WhatHasGoneIsNoFailure) {
  const Removed removed = remove_tree(at_.get(), "nothing");
  EXPECT_EQ(removed.left, "");
  EXPECT_EQ(removed.bytes, 0U);
  EXPECT_FALSE(read_entries(-1).has_value());
}

// More than a process may have open, with a path that no call takes.
TEST_F(Trees, AnyDepthGoesAndIsCounted) {
  constexpr int kDeep = PATH_MAX / 2 + 100;
  fs::create_directory(path("run"));
  unit::nest(path("run"), kDeep);
  const unit::FilesLimit limit(64);
  ASSERT_TRUE(limit.is_set());
  const std::uint64_t bytes = bytes_of(at_.get(), "run");
  EXPECT_GT(bytes, 0U);
  EXPECT_GT(last_change(at_.get(), "run"), FileTime());
  const Removed removed = remove_tree(at_.get(), "run");
  EXPECT_EQ(removed.left, "");
  EXPECT_EQ(removed.bytes, bytes);
  EXPECT_FALSE(fs::exists(path("run")));
}

// Renames a folder from one place to another and back, as long as it lives.
class Mover {
 public:
  Mover(std::string one, std::string other)
      : thread_([this, one = std::move(one), other = std::move(other)] {
          while (goes_on_) {
            fs::rename(one, other);
            fs::rename(other, one);
          }
        }) {}
  ~Mover() {
    goes_on_ = false;
    thread_.join();
  }
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

 private:
  std::atomic<bool> goes_on_ = true;
  std::thread thread_;
};

// Who asks for the last change may remove what has been left alone for long.
TEST_F(Trees, WhatIsMovedMeanwhileHasBeenChanged) {
  put("run/a/moved/one/two/file");
  fs::create_directories(path("run/b"));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1000);
  for (const char* name : {"/one/two/file", "/one/two", "/one", ""}) {
    fs::last_write_time(path("run/a/moved") + name, long_ago);
  }
  const FileTime since = own_change(at_.get(), "run/b");
  int missed = 0;
  {
    const Mover mover(path("run/a/moved"), path("run/b/moved"));
    for (int i = 0; i < 2000; ++i) missed += last_change(at_.get(), "run") < since ? 1 : 0;
  }
  EXPECT_EQ(missed, 0);
}

TEST_F(Trees, WhatStaysIsCountedWhateverIsMovedBesideIt) {
  put("run/a/moved/one/two/file");
  fs::create_directories(path("run/b"));
  put("run/z/file", std::string(1'000'000, 'x'));
  int missed = 0;
  {
    const Mover mover(path("run/a/moved"), path("run/b/moved"));
    for (int i = 0; i < 2000; ++i) missed += bytes_of(at_.get(), "run") < 1'000'000 ? 1 : 0;
  }
  EXPECT_EQ(missed, 0);
}

// What is moved out of it while it goes stays, and nothing else.
TEST_F(Trees, WhatIsMovedAwayDoesNotEndTheRemoval) {
  constexpr int kTimes = 100;
  int left = 0;
  for (int i = 0; i < kTimes; ++i) {
    const std::string moved = "run/a/moved";
    put(moved + "/one/two/file");
    put("run/z/file");
    std::thread mover([&] { (void)::rename(path(moved).c_str(), path("away").c_str()); });
    (void)remove_tree(at_.get(), "run");
    mover.join();
    left += fs::exists(path("run/z")) ? 1 : 0;
    (void)remove_tree(path("away"));
    (void)remove_tree(path("run"));
  }
  EXPECT_EQ(left, 0);
}

TEST_F(Trees, AllButWhatStaysGoes) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may mount";
  put("run/a/b/c/file");
  put("run/a/b/other/file");
  put("run/z/file");
  const std::string place = path("run/a/b/c");
  if (::mount("none", place.c_str(), "tmpfs", 0, nullptr) != 0) GTEST_SKIP() << "no mounts here";
  const Removed removed = remove_tree(at_.get(), "run");
  EXPECT_EQ(removed.left, "run/a/b/c");
  EXPECT_EQ(removed.why, EXDEV);
  EXPECT_FALSE(fs::exists(path("run/z")));
  EXPECT_FALSE(fs::exists(path("run/a/b/other")));
  EXPECT_EQ(::umount2(place.c_str(), MNT_DETACH), 0);
  EXPECT_EQ(remove_tree(at_.get(), "run").left, "");
}

// Files there name the file system of their layer, and folders that of the whole.
TEST_F(Trees, FilesOnAnOverlayGo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may mount";
  for (const char* name : {"lower", "layer", "over"}) fs::create_directory(path(name));
  const std::string layer = path("layer");
  if (::mount("none", layer.c_str(), "tmpfs", 0, nullptr) != 0) GTEST_SKIP() << "no mounts here";
  for (const char* name : {"layer/upper", "layer/work"}) fs::create_directory(path(name));
  const std::string options = "lowerdir=" + path("lower") + ",upperdir=" + path("layer/upper") +
                              ",workdir=" + path("layer/work") + ",xino=off";
  const bool is_there = ::mount("none", path("over").c_str(), "overlay", 0, options.c_str()) == 0;
  if (is_there) {
    put("over/run/a", std::string(100'000, 'x'));
    put("over/run/deep/er/b");
    put("over/alone");
    const UniqueFd over(::open(path("over").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_GE(bytes_of(over.get(), "run"), 100'000U);
    EXPECT_EQ(remove_tree(over.get(), "run").left, "");
    EXPECT_EQ(remove_tree(path("over/alone")).left, "");
    EXPECT_FALSE(fs::exists(path("over/run")) || fs::exists(path("over/alone")));
    EXPECT_EQ(::umount2(path("over").c_str(), MNT_DETACH), 0);
  }
  EXPECT_EQ(::umount2(layer.c_str(), MNT_DETACH), 0);
  if (!is_there) GTEST_SKIP() << "no overlays here";
}

TEST_F(Trees, AFileThatIsMountedStays) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may mount";
  put("run/a/mounted");
  put("run/a/other");
  const std::string place = path("run/a/mounted");
  if (::mount("/proc/self/status", place.c_str(), nullptr, MS_BIND, nullptr) != 0) {
    GTEST_SKIP() << "no mounts here";
  }
  const Removed removed = remove_tree(at_.get(), "run");
  EXPECT_EQ(::umount2(place.c_str(), MNT_DETACH), 0);
  EXPECT_EQ(removed.left, "run/a/mounted");
  EXPECT_EQ(removed.why, EBUSY);
  EXPECT_FALSE(fs::exists(path("run/a/other")));
  EXPECT_TRUE(fs::exists(place));
}

// As /tmp is on some hosts. What root may do, it does not do here.
TEST_F(Trees, WhatLiesInAFolderThatCannotBeListedGoes) {
  put("tmp/run/deep/file");
  constexpr uid_t kNobody = 65534;
  const uid_t own = ::geteuid();
  const uid_t user = own == 0 ? kNobody : own;
  for (const char* name : {"", "tmp", "tmp/run", "tmp/run/deep", "tmp/run/deep/file"}) {
    ASSERT_EQ(::chown(path(name).c_str(), user, static_cast<gid_t>(-1)), 0);
  }
  ASSERT_EQ(::chmod(path("tmp").c_str(), 0300), 0);
  ::setfsuid(user);
  struct stat facts {};
  const bool is_reached = ::stat(path("tmp").c_str(), &facts) == 0;
  const std::string left = remove_tree(path("tmp/run")).left;
  ::setfsuid(own);
  ASSERT_EQ(::chmod(path("tmp").c_str(), 0700), 0);
  if (!is_reached) GTEST_SKIP() << "others cannot reach the folder of temporary files";
  EXPECT_EQ(left, "");
  EXPECT_FALSE(fs::exists(path("tmp/run")));
}

// Names of one file: each has its part.
TEST_F(Trees, AFileWithTwoNamesCountsOnce) {
  put("run/a", std::string(1'000'000, 'x'));
  const std::uint64_t bytes = bytes_of(at_.get(), "run");
  fs::create_hard_link(path("run/a"), path("run/b"));
  EXPECT_EQ(bytes_of(at_.get(), "run"), bytes);
}

}  // namespace
}  // namespace muster::process
