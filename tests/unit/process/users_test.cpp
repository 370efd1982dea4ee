// Which processes have to do with a folder.
#include "process/users.hpp"

#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "process/tree.hpp"
#include "unit/folder.hpp"

namespace muster::process {
namespace {

// A process that does something, and then waits until its owner ends.
class Lingering {
 public:
  explicit Lingering(const std::function<void()>& what) {
    int ready[2] = {-1, -1};
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      what();
      (void)::close(ready[1]);
      while (true) ::pause();
    }
    (void)::close(ready[1]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 0);
    (void)::close(ready[0]);
  }
  ~Lingering() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Lingering(const Lingering&) = delete;
  Lingering& operator=(const Lingering&) = delete;

 private:
  pid_t pid_ = -1;
};

TEST(Users, NobodyHasToDoWithAFreshFolder) {
  const unit::Folder folder;
  EXPECT_FALSE(has_users(folder.path()));
  EXPECT_FALSE(has_users(folder.path() + "/not/there"));
}

TEST(Users, OneIsInIt) {
  const unit::Folder folder;
  std::filesystem::create_directories(folder.path() + "/run/code");
  std::filesystem::create_directories(folder.path() + "/run2");
  const Lingering one([&] { EXPECT_EQ(::chdir((folder.path() + "/run/code").c_str()), 0); });
  EXPECT_TRUE(has_users(folder.path() + "/run"));
  EXPECT_FALSE(has_users(folder.path() + "/run2"));
  EXPECT_FALSE(has_users(folder.path() + "/ru"));
}

TEST(Users, OneHasAFileOpen) {
  const unit::Folder folder;
  folder.file("log", "x", false);
  const Lingering one([&] { (void)::open((folder.path() + "/log").c_str(), O_RDONLY); });
  EXPECT_TRUE(has_users(folder.path()));
}

TEST(Users, OneNamesItInItsArguments) {
  const unit::Folder folder;
  const std::string path = folder.path();
  int ready[2] = {-1, -1};
  int input[2] = {-1, -1};  // which never ends
  ASSERT_EQ(::pipe2(ready, O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(input, O_CLOEXEC), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(input[0], STDIN_FILENO);
    ::execl("/bin/cat", "cat", "-", path.c_str(), nullptr);
    ::_exit(1);
  }
  (void)::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 0);  // it has been executed
  (void)::close(ready[0]);
  const bool found = has_users(path);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  (void)::close(input[0]);
  (void)::close(input[1]);
  EXPECT_TRUE(found);
}

TEST(Users, ProcessesMayEndWhileTheyAreLookedAt) {
  const unit::Folder folder;
  std::atomic<bool> enough = false;
  std::thread others([&enough] {
    while (!enough) {
      const pid_t pid = ::fork();
      if (pid == 0) ::_exit(0);
      ::waitpid(pid, nullptr, 0);
    }
  });
  bool found = false;
  for (int i = 0; i < 100; ++i) found |= has_users(folder.path());
  enough = true;
  others.join();
  EXPECT_FALSE(found);
}

TEST(Users, LastChangeIsThatOfTheNewestBelow) {
  const unit::Folder folder;
  folder.file("old", "x", false);
  std::filesystem::create_directories(folder.path() + "/a/b");
  std::ofstream(folder.path() + "/a/b/new") << "x";
  const UniqueFd at(::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY));
  const auto before = std::chrono::system_clock::now() - std::chrono::hours(1);
  EXPECT_GT(last_change(at.get(), "a"), before);
  for (const char* name : {"a/b/new", "a/b", "a"}) {
    const timespec then[] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
    ASSERT_EQ(::utimensat(at.get(), name, then, 0), 0);
  }
  EXPECT_LT(last_change(at.get(), "a"), before);
  EXPECT_GT(own_change(at.get(), "old"), before);
  EXPECT_LT(own_change(at.get(), "none"), before);
}

}  // namespace
}  // namespace muster::process
