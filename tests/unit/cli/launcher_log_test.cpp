// Lines of a launcher's pod: those of ranks, those of muster, and those that come twice.
#include "cli/launcher_log.hpp"

#include <gtest/gtest.h>

#include "cli/end_file.hpp"

namespace muster::cli {
namespace {

std::string printed(LauncherLogStyle style, const std::function<void(LauncherLog&)>& feed) {
  testing::internal::CaptureStdout();
  LauncherLog log(style);
  feed(log);
  log.finish();
  EXPECT_EQ(log.code(), 0);
  return testing::internal::GetCapturedStdout();
}

constexpr const char* kText =
    "muster: all hosts are there\n[0] hello\n[1] hello\n[1] [0] mine\n[2:0] spawned\n";

TEST(LauncherLog, TakesTagsAway) {
  EXPECT_EQ(printed({}, [](LauncherLog& log) { log.take_plain(kText); }),
            "hello\nhello\n[0] mine\nspawned\n");
}

TEST(LauncherLog, KeepsTags) {
  EXPECT_EQ(printed({.tags = true}, [](LauncherLog& log) { log.take_plain(kText); }),
            "[0] hello\n[1] hello\n[1] [0] mine\n[2:0] spawned\n");
}

TEST(LauncherLog, ShowsOneRank) {
  EXPECT_EQ(printed({.rank = 0}, [](LauncherLog& log) { log.take_plain(kText); }), "hello\n");
}

TEST(LauncherLog, IsJson) {
  EXPECT_EQ(printed({.rank = 1, .json = true}, [](LauncherLog& log) { log.take_plain(kText); }),
            "{\"rank\":1,\"stream\":\"stdout\",\"line\":\"hello\"}\n"
            "{\"rank\":1,\"stream\":\"stdout\",\"line\":\"[0] mine\"}\n");
}

TEST(LauncherLog, KnowsStepsOfPipelines) {
  EXPECT_EQ(printed({}, [](LauncherLog& log) { log.take_plain("train: [0] loss 1\n"); }),
            "train: loss 1\n");
}

// After a connection that was lost, all from the last second on comes again.
TEST(LauncherLog, DropsWhatItKnows) {
  EXPECT_EQ(printed({},
                    [](LauncherLog& log) {
                      log.take("2026-11-23T10:00:00.1Z [0] one\n2026-11-23T10:00:00.2Z [0] tw");
                      EXPECT_EQ(log.last_time(), "2026-11-23T10:00:00.1Z");
                      log.cut();
                      log.take("2026-11-23T10:00:00.1Z [0] one\n2026-11-23T10:00:00.2Z [0] two\n");
                    }),
            "one\ntwo\n");
}

// Ten of them are as long as what is held of one, and each ends a piece of kubectl's.
TEST(LauncherLog, ALineWithoutEndIsPrintedInParts) {
  const std::string piece(std::size_t{300} << 10, 'x');
  const auto feed = [&](LauncherLog& log) {
    log.take("2026-11-23T10:00:00.1Z train: [3] ");
    for (int i = 0; i < 10; ++i) log.take(piece);
    log.take("y\n2026-11-23T10:00:00.2Z [0] next\n");
    log.cut();
    log.take("2026-11-23T10:00:00.1Z train: [3] ");
    for (int i = 0; i < 10; ++i) log.take(piece);
    log.take("y\n2026-11-23T10:00:00.2Z [0] next\n");
  };
  std::string all;
  std::size_t most = 0;
  std::string text = printed({.tags = true}, feed);
  EXPECT_TRUE(text.ends_with("y\n[0] next\n"));
  text.resize(text.size() - std::string("[0] next\n").size());
  for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
    ASSERT_TRUE(text.starts_with("train: [3] "));
    most = std::max(most, end);
    all += text.substr(11, end - 11);
  }
  EXPECT_EQ(all.size(), 10 * piece.size() + 1);
  EXPECT_LT(most, std::size_t{3} << 19);
}

TEST(LastLine, IsNotEmpty) {
  EXPECT_EQ(last_line("a\nb\n\n"), "b");
  EXPECT_EQ(last_line(""), "");
}

TEST(EndFile, IsReadBack) {
  model::RunRecord record;
  record.state = model::RunState::failed;
  record.exit_code = 3;
  record.code_from = "rank";
  record.cause = "rank 1 on pod-1 exited with code 3";
  record.ended = model::Utc(std::chrono::milliseconds(1'795'296'330'123));
  const auto read = read_end_text(end_text(record, "muster: rank 1 ...\n  line\n"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ending.state, model::RunState::failed);
  EXPECT_EQ(read->ending.exit_code, 3);
  EXPECT_EQ(read->ending.cause, record.cause);
  EXPECT_EQ(read->report, "muster: rank 1 ...\n  line\n");
}

TEST(EndFile, FitsATerminationMessage) {
  model::RunRecord record;
  record.state = model::RunState::failed;
  record.cause = std::string(10'000, 'c');
  record.ended = model::Utc(std::chrono::milliseconds(1));
  const std::string text = end_text(record, std::string(10'000, 'r'));
  EXPECT_LE(text.size(), 4096U);
  ASSERT_TRUE(read_end_text(text));
}

TEST(EndFile, OtherTextsAreNone) {
  EXPECT_FALSE(read_end_text(""));
  EXPECT_FALSE(read_end_text("muster: hosts 1 and 2 did not come\n"));
}

}  // namespace
}  // namespace muster::cli
