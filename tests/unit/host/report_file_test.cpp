// The file in memory for reports: only by its whole name, and only while it is.
#include "host/report_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/folder.hpp"

namespace muster::host {
namespace {

std::string name_of(const process::UniqueFd& file) {
  struct stat found {};
  EXPECT_EQ(::fstat(file.get(), &found), 0);
  return fmt::format("{}:{}", path_of(file), found.st_ino);
}

TEST(ReportFile, OpensByItsName) {
  const auto file = make_report_file();
  ASSERT_TRUE(file);
  const auto opened = open_report_file(name_of_report(file));
  ASSERT_TRUE(opened);
  EXPECT_EQ(::write(opened.get(), "said", 4), 4);
  struct stat found {};
  ASSERT_EQ(::fstat(file.get(), &found), 0);
  EXPECT_EQ(found.st_size, 4);
}

TEST(ReportFile, IsNoOtherThatBearsItsPath) {
  std::string name;
  {
    const auto file = make_report_file();
    name = name_of_report(file);
  }
  EXPECT_FALSE(open_report_file(name));
  const auto next = make_report_file();  // of the same number
  EXPECT_EQ(path_of(next), name.substr(0, name.rfind(':')));
  EXPECT_FALSE(open_report_file(name));
}

TEST(ReportFile, IsNothingElse) {
  const unit::Folder folder;
  const std::string path = folder.file("file", "keep", false);
  const process::UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(open_report_file(name_of(file)));
  const process::UniqueFd other(::memfd_create("else", MFD_CLOEXEC));
  EXPECT_FALSE(open_report_file(name_of(other)));
  for (const char* name : {"", ":", "/proc/", "/proc/:", "/proc/1/fd/1", "/proc/1/fd/1:",
                           "/proc/1/fd/1:x", "/proc/1/fd/1:99999999999999999999"}) {
    EXPECT_FALSE(open_report_file(name)) << name;
  }
}

// Such as one whose path was made to look alike.
TEST(ReportFile, IsNoFileOnADisk) {
  const unit::Folder folder;
  const std::string path = folder.file("memfd:muster-error-file", "keep", false);
  const process::UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_FALSE(open_report_file(name_of(file)));
}

}  // namespace
}  // namespace muster::host
