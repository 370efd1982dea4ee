// Times of streams: what is shown from a time on lacks nothing, and begins ten seconds early at
// most.
#include "store/stream_times.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "unit/folder.hpp"

namespace muster::store::stream_times_test {
namespace {

using namespace std::chrono_literals;
using model::Utc;

constexpr Utc kBegin{1'764'357'812'123ms};
const StreamName kOut{1, 3, false};

std::uint64_t begin_of(const unit::Folder& folder, Utc since, std::uint64_t size,
                       const StreamName& stream = kOut) {
  const auto times = StreamTimes::read(folder.path() + "/times", since);
  return times ? times->begin_of(stream, size) : UINT64_MAX;
}

TEST(StreamTimes, AreLinesThatAreFarApart) {
  const unit::Folder folder;
  TimesWriter times(folder.path() + "/times");
  times.note(kOut, 0, kBegin);
  times.note(kOut, 100, kBegin + 9s);
  times.note(kOut, 200, kBegin + 10s);
  times.note({2, 0, true}, 0, kBegin + 10s);
  times.note(kOut, 5000, kBegin + 10'500ms);
  times.note(kOut, 9000, kBegin + 11s);
  EXPECT_EQ(folder.read("times"),
            "1764357812123 1 3 stdout 0\n1764357822123 1 3 stdout 200\n"
            "1764357822123 2 0 stderr 0\n1764357823123 1 3 stdout 9000\n");
}

TEST(StreamTimes, AreWrittenOnceThereIsAFolder) {
  const unit::Folder folder;
  TimesWriter times(folder.path() + "/record/times");
  times.note(kOut, 0, kBegin);
  EXPECT_EQ(begin_of(folder, kBegin, 0), UINT64_MAX);
  std::filesystem::create_directory(folder.path() + "/record");
  times.note(kOut, 5, kBegin + 1ms);
  EXPECT_EQ(folder.read("record/times"), "1764357812123 1 3 stdout 0\n");
}

TEST(StreamTimes, OfStrangeFilesAreNone) {
  const unit::Folder folder;
  folder.file("times",
              std::string(1000, 'x') + "\n1 2\n\n1 1 3 stdout x\n1764357812123 1 3 stdout 7\n",
              false);
  EXPECT_EQ(begin_of(folder, kBegin + 1s, 90), 7U);
  EXPECT_EQ(begin_of(folder, kBegin + 1s, 90, {9, 9, true}), 0U);
}

// Writes at times that are drawn: all that is not older than asked for is shown, and nothing that
// is more than ten seconds older.
TEST(StreamTimes, AreExactToTenSeconds) {
  rc::check([] {
    const unit::Folder folder;
    TimesWriter times(folder.path() + "/times");
    struct Write {
      Utc at;
      std::uint64_t begin;
    };
    std::vector<Write> writes;
    Utc now = kBegin;
    std::uint64_t size = 0;
    const auto count = *rc::gen::inRange(1, 40);
    for (int i = 0; i < count; ++i) {
      now += std::chrono::milliseconds(*rc::gen::inRange(0, *rc::gen::element(200, 3000, 40000)));
      times.note(kOut, size, now);
      writes.push_back({now, size});
      size += static_cast<std::uint64_t>(*rc::gen::inRange(1, 9000));
    }
    const Utc since = kBegin + std::chrono::milliseconds(*rc::gen::inRange<std::int64_t>(
                                   -100, (now - kBegin).count() + 20000));
    const std::uint64_t begin = begin_of(folder, since, size);
    for (const Write& write : writes) {
      if (write.at >= since) RC_ASSERT(begin <= write.begin);
      if (write.at < since - 10s) RC_ASSERT(begin > write.begin);
    }
  });
}

}  // namespace
}  // namespace muster::store::stream_times_test
