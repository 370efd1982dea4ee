// Files that others write meanwhile.
#include "blobs/files.hpp"

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

}  // namespace
}  // namespace muster::blobs
