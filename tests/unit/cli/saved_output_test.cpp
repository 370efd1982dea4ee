// read_saved: all of it in pieces, or its end, or what is wanted.
#include "cli/saved_output.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/folder.hpp"

namespace muster::cli {
namespace {

class SavedOutput : public testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return folder_.path() + "/log"; }
  void write(const std::string& text) const { std::ofstream(path()) << text; }
  [[nodiscard]] std::string read(std::optional<std::uint32_t> tail = {}) {
    std::string all;
    EXPECT_TRUE(read_saved(path(), {0, tail}, [&](std::string_view lines) {
      most_ = std::max(most_, lines.size());
      all += lines;
      return true;
    }));
    return all;
  }

  unit::Folder folder_;
  std::size_t most_ = 0;
};

TEST_F(SavedOutput, IsReadToItsEndInPieces) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "line " + std::to_string(i) + "\n";
  text += std::string(3'000'000, 'x') + "\nno end";
  write(text);
  EXPECT_EQ(read(), text);
  EXPECT_LE(most_, std::size_t{1} << 20);
  EXPECT_EQ(read(1), "no end");
}

TEST_F(SavedOutput, NoMoreIsReadThanIsWanted) {
  write(std::string(5'000'000, '\n'));
  int calls = 0;
  EXPECT_TRUE(read_saved(path(), {}, [&](std::string_view) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);
}

TEST_F(SavedOutput, TerabytesOfHolesAreSkipped) {
  write("a\n");
  ASSERT_EQ(::truncate(path().c_str(), off_t{4} << 40), 0);
  EXPECT_LT(read().size(), std::size_t{1} << 20);
}

TEST_F(SavedOutput, IsWrittenInPiecesOrNotAtAll) {
  const auto speak = [](const auto& write) { return write("one\n") && write("two\n"); };
  EXPECT_TRUE(save_output(path(), speak));
  EXPECT_EQ(read(), "one\ntwo\n");
  EXPECT_FALSE(save_output(path(), [](const auto& write) { return write("half") && false; }));
  EXPECT_FALSE(save_output(folder_.path() + "/none/log", speak));
  EXPECT_EQ(read(), "one\ntwo\n");
  const auto files = std::filesystem::directory_iterator(folder_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(SavedOutput, WaitsForNobodyWhereItIsWritten) {
  ASSERT_EQ(::mkfifo((path() + ".new").c_str(), 0600), 0);
  EXPECT_TRUE(save_output(path(), [](const auto& write) { return write("one\n"); }));
  EXPECT_EQ(read(), "one\n");
}

// As `kubectl logs --timestamps` tells it, in pieces that begin and end anywhere.
TEST_F(SavedOutput, TimesOfLinesAreKeptBeside) {
  const std::string text =
      "2026-11-23T10:00:00.100000000Z one\n2026-11-23T10:01:00.000000000Z \n"
      "2026-11-23T10:02:00.000000000Z two words\n2026-11-23T12:00:00.000000000Z three";
  for (const std::size_t size : {1, 7, 1000}) {
    save_timed_output(folder_.path(), [&](const auto& write) {
      for (std::size_t at = 0; at < text.size(); at += size) {
        if (!write(std::string_view(text).substr(at, size))) return false;
      }
      return true;
    });
    EXPECT_EQ(read(), "one\n\ntwo words\nthree");
    const auto since = [&](int hour, int minute) {
      using namespace std::chrono;
      return saved_since(folder_.path(),
                         sys_days(year(2026) / 11 / 23) + hours(hour) + minutes(minute));
    };
    EXPECT_EQ(since(9, 0), 0U);
    EXPECT_EQ(since(10, 1), 4U);
    EXPECT_EQ(since(11, 0), 15U);
    EXPECT_EQ(since(13, 0), 20U);
    std::string late;
    EXPECT_TRUE(read_saved(path(), {5, {}}, [&](std::string_view lines) {
      late += lines;
      return true;
    }));
    EXPECT_EQ(late, "two words\nthree");
  }
  ASSERT_EQ(::unlink((folder_.path() + "/times").c_str()), 0);
  EXPECT_FALSE(saved_since(folder_.path(), {}));
}

TEST_F(SavedOutput, LinksAndNothingAreNoFiles) {
  const auto take = [](std::string_view) { return true; };
  EXPECT_FALSE(read_saved(path(), {}, take));
  ASSERT_EQ(::symlink("/etc/passwd", path().c_str()), 0);
  EXPECT_FALSE(read_saved(path(), {}, take));
}

}  // namespace
}  // namespace muster::cli
