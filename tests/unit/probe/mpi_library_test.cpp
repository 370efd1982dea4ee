// Which MPI library a task has loaded: real libraries of this machine, in a made-up /proc.
#include "probe/mpi_library.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <unistd.h>

namespace muster::probe {
namespace {

namespace fs = std::filesystem;

// As the linker finds it; empty where it is not installed.
std::string installed(const std::string& soname) {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/"}) {
    if (fs::exists(folder + soname)) return fs::canonical(folder + soname).string();
  }
  return {};
}

TEST(MpiLibrary, IsKnownByItsFile) {
  for (const auto& [soname, form] : {std::pair("libmpi.so.40", R"(Open MPI \d+\.\d+\.\d+)"),
                                     std::pair("libmpich.so.12", R"(MPICH \d+\.\d+(\.\d+)?)")}) {
    const std::string path = installed(soname);
    if (path.empty()) GTEST_SKIP() << soname << " is not installed";
    EXPECT_TRUE(std::regex_match(mpi_library_in(path), std::regex(form)))
        << path << ": " << mpi_library_in(path);
  }
}

TEST(MpiLibrary, OfOtherFilesIsUnknown) {
  EXPECT_EQ(mpi_library_in("/proc/self/exe"), "");
  EXPECT_EQ(mpi_library_in("/etc/passwd"), "");
  EXPECT_EQ(mpi_library_in("/etc"), "");
  EXPECT_EQ(mpi_library_in("/nothing/there"), "");
}

class LoadedLibrary : public ::testing::Test {
 protected:
  LoadedLibrary() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) /
            (std::string("mpi-library-") + test->name() + std::to_string(::getpid()));
  }
  ~LoadedLibrary() override { fs::remove_all(root_); }
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;

  void process(const std::string& pid, const std::string& maps, const std::string& children) {
    const fs::path folder = root_ / "proc" / pid;
    fs::create_directories(folder / "task" / pid);
    fs::create_directory_symlink("/", folder / "root");
    std::ofstream(folder / "maps") << maps;
    std::ofstream(folder / "task" / pid / "children") << children;
  }

  fs::path root_;
};

TEST_F(LoadedLibrary, IsThatOfTheTaskOrOfWhatItStarted) {
  const std::string path = installed("libmpi.so.40");
  if (path.empty()) GTEST_SKIP() << "Open MPI is not installed";
  const std::string line = "7f00-7f01 r--p 00000000 fe:00 1   ";
  process("7", line + "/usr/bin/dash\n", "8 ");
  process("8", line + "/usr/bin/sleep\n", "9 10 ");
  process("10", line + "/usr/lib/libc.so.6\n" + line + path + "\n", "");
  EXPECT_EQ(mpi_library_of(root_.string(), 7), mpi_library_in(path));
  EXPECT_EQ(mpi_library_of(root_.string(), 10), mpi_library_in(path));
  EXPECT_EQ(mpi_library_of(root_.string(), 9), "") << "it has ended";
}

}  // namespace
}  // namespace muster::probe
