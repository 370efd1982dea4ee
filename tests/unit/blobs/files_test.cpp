// Files that others write meanwhile.
#include "blobs/files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace muster::blobs {
namespace {

TEST(ReadPieces, EndsOnAFileThatGrowsWithEachRead) {
  const process::UniqueFd file(::memfd_create("growing", MFD_CLOEXEC));
  ASSERT_EQ(::write(file.get(), "abc", 3), 3);
  std::string text;
  EXPECT_TRUE(read_pieces(file.get(), [&](std::string_view piece) {
    text += piece;
    return ::write(file.get(), "more", 4) == 4 && text.size() < 100;
  }));
  EXPECT_EQ(text, "abc");
}

TEST(ReadPieces, ReadsFilesThatSayTheyHaveNoSize) {
  const auto text = read_whole("/proc/self/status", 1 << 20);
  ASSERT_TRUE(text.has_value());
  EXPECT_TRUE(text->starts_with("Name:")) << *text;
}

TEST(SendFile, TellsWhyNotAllIsWritten) {
  const process::UniqueFd file(::memfd_create("sent", MFD_CLOEXEC));
  ASSERT_EQ(::write(file.get(), "abc", 3), 3);
  const process::UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const process::UniqueFd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  EXPECT_TRUE(send_file(file.get(), nothing.get(), [] { return true; }));
  errno = 0;
  EXPECT_FALSE(send_file(file.get(), full.get()));
  EXPECT_EQ(errno, ENOSPC);
  errno = 0;
  EXPECT_FALSE(send_file(file.get(), nothing.get(), [] { return false; }));
  EXPECT_EQ(errno, ECANCELED);
}

}  // namespace
}  // namespace muster::blobs
