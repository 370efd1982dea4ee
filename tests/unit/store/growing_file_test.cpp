// Files that others add to, from a place on.
#include "store/growing_file.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/unique_fd.hpp"
#include "view/last_lines.hpp"

namespace muster::store {
namespace {

process::UniqueFd file_of(const std::string& text) {
  process::UniqueFd file(::memfd_create("growing", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  return file;
}

std::string read_from_last(const process::UniqueFd& file, std::size_t lines) {
  GrowingFile grows;
  std::string text;
  grows.begin_at_last(file.get(), lines);
  grows.read(file.get(), SIZE_MAX, [&](std::string_view bytes) { text += bytes; });
  return text;
}

TEST(GrowingFile, BeginsAtTheLastLines) {
  const std::string wide(70'000, 'x');  // more than what is read at once
  const std::string texts[] = {"",     "\n",         "a",
                               "a\n",  "a\nb",       "a\nb\n",
                               "\n\n", "a\n\nb\n\n", wide + "\n" + wide + "\nb\n" + wide};
  for (const std::string& text : texts) {
    const auto file = file_of(text);
    for (std::size_t lines = 0; lines < 6; ++lines) {
      EXPECT_EQ(read_from_last(file, lines), view::last_lines(text, lines))
          << lines << " of " << text.substr(0, 20);
    }
  }
}

TEST(GrowingFile, BeginsAtTheLineOfAByte) {
  const std::string wide(70'000, 'x');
  const auto file = file_of("one\ntwo\n" + wide + "\nlast");
  const auto read_from = [&](std::uint64_t place, std::size_t last_lines) {
    GrowingFile grows;
    if (last_lines > 0) grows.begin_at_last(file.get(), last_lines);
    grows.begin_at_line_of(file.get(), place);
    std::string text;
    grows.read(file.get(), SIZE_MAX, [&](std::string_view bytes) { text += bytes; });
    return text;
  };
  EXPECT_EQ(read_from(0, 0).substr(0, 4), "one\n");
  EXPECT_EQ(read_from(3, 0).substr(0, 4), "one\n");
  EXPECT_EQ(read_from(4, 0).substr(0, 4), "two\n");
  EXPECT_EQ(read_from(6, 0).substr(0, 4), "two\n");
  EXPECT_EQ(read_from(70'000, 0).size(), 70'013U - 70'000U) << "within a line that is too long";
  EXPECT_EQ(read_from(70'013, 0), "");
  EXPECT_EQ(read_from(4, 1), "last") << "what is passed over stays so";
  EXPECT_EQ(read_from(70'011, 2), "last");
}

TEST(GrowingFile, LooksBackForSixtyFourMegabytesAtMost) {
  const auto file = file_of("first\n");
  ASSERT_EQ(::ftruncate(file.get(), off_t{1} << 42), 0);  // 4 TB, without a newline
  GrowingFile grows;
  grows.begin_at_last(file.get(), 1);
  EXPECT_TRUE(grows.has_more(file.get()));
  std::string text;
  grows.read(file.get(), 100, [&](std::string_view bytes) { text += bytes; });
  EXPECT_EQ(text, std::string(1, '\0'));
}

}  // namespace
}  // namespace muster::store
