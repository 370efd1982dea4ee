// Records as people read them.
#include "view/record_words.hpp"

#include <gtest/gtest.h>

namespace muster::view::record_words_test {
namespace {

using model::RunRecord;
using model::RunState;
using std::chrono::seconds;

constexpr model::Utc kTime{std::chrono::milliseconds(1'795'296'330'123)};

RunRecord record() {
  RunRecord record;
  record.run = "20261121-212530.123-kufari";
  record.state = RunState::failed;
  record.cause = "rank 1 on node1 exited with code 3 (pid 7)";
  record.exit_code = 3;
  record.created = record.started = kTime;
  record.ended = kTime + seconds(3725);
  record.hosts = {"node1", "node2"};
  record.ranks = 4;
  record.command = {"python3", "train.py", "--epochs", "2", "--rate", "0.1"};
  return record;
}

TEST(RecordSentence, TellsStateCodeAndCause) {
  EXPECT_EQ(
      record_sentence(record()),
      "20261121-212530.123-kufari failed with exit code 3: rank 1 on node1 exited with code 3 "
      "(pid 7)");
  RunRecord running;
  running.run = "x";
  running.state = RunState::running;
  EXPECT_EQ(record_sentence(running), "x is running");
}

TEST(RecordSentence, OfAGoodRunTellsWhatRan) {
  RunRecord good = record();
  good.state = RunState::completed;
  good.exit_code = 0;
  good.cause.clear();
  EXPECT_EQ(record_sentence(good),
            "20261121-212530.123-kufari completed: 4 ranks on 2 hosts, 1:02:05");
  good.ranks = 1;
  good.hosts = {"node1"};
  good.ended = kTime + seconds(75);
  EXPECT_EQ(record_sentence(good), "20261121-212530.123-kufari completed: 1 rank on node1, 1:15");
}

TEST(RecordTable, HasALineForEachRun) {
  RunRecord other = record();
  other.state = RunState::completed;
  other.name = "line";
  other.experiment = "lines";
  other.hosts = {"node1"};
  other.ended = kTime + seconds(75);
  const std::string table =
      record_table({record_cells(record(), kTime), record_cells(other, kTime)}, {});
  EXPECT_EQ(table,
            "RUN                         STATE      CREATED (UTC)        TOOK  RANKS, STEPS  JOB\n"
            "20261121-212530.123-kufari  failed 3   2026-11-21 21:25  1:02:05  4 on 2 hosts  "
            "python3 train.py --epochs 2 --rate 0.1\n"
            "20261121-212530.123-kufari  completed  2026-11-21 21:25     1:15  4 on node1    "
            "lines/line\n");
}

TEST(RecordTable, ShowsBothNamesOfAJob) {
  RunRecord both = record();
  both.name = "line";
  both.title = "A line";
  both.experiment = "lines";
  EXPECT_EQ(record_cells(both, kTime).back(), "lines/line (A line)");
  EXPECT_NE(record_words(both, kTime, 0).find("job         line\ncalled      A line\n"),
            std::string::npos)
      << record_words(both, kTime, 0);
  both.title = both.name;
  EXPECT_EQ(record_cells(both, kTime).back(), "lines/line");
  EXPECT_EQ(record_words(both, kTime, 0).find("called"), std::string::npos);
}

std::string of_width(std::size_t width) {
  return record_table({record_cells(record(), kTime)}, {.width = width});
}

TEST(RecordTable, FitsATerminal) {
  EXPECT_EQ(of_width(200), of_width(0));
  EXPECT_EQ(of_width(80),
            "RUN                         STATE        TOOK  RANKS, STEPS  JOB\n"
            "20261121-212530.123-kufari  failed 3  1:02:05  4 on 2 hosts  python3 train.py...\n");
  EXPECT_EQ(of_width(50),
            "RUN     STATE        TOOK  RANKS, ...  JOB\n"
            "kufari  failed 3  1:02:05  4 on 2 ...  python3 ...\n");
  EXPECT_EQ(of_width(20), "RUN     STATE\nkufari  failed 3\n");
  for (std::size_t width = 16; width < 120; ++width) {
    const std::string table = of_width(width);
    for (std::string_view rest = table; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
      EXPECT_LE(rest.find('\n'), width) << table;
    }
  }
}

TEST(RecordTable, IsColouredOnATerminal) {
  const std::string table = record_table({record_cells(record(), kTime)}, {.colour = true});
  EXPECT_NE(table.find("\x1b[31mfailed 3\x1b[0m"), std::string::npos) << table;
  EXPECT_EQ(record_table({}, {.colour = true}).find('\x1b'), std::string::npos);
}

TEST(RecordWords, LeaveOutWhatIsNotKnown) {
  const std::string words = record_words(record(), kTime);
  EXPECT_NE(words.find("exit code   3\n"), std::string::npos);
  EXPECT_NE(words.find("took        1:02:05\n"), std::string::npos);
  EXPECT_EQ(words.find("experiment"), std::string::npos);
}

TEST(RecordWords, ACommandCanBePasted) {
  RunRecord one = record();
  one.name.clear();
  one.command = {"python3", "train.py", "--note", "it's a b", "*"};
  const std::string pasted = R"(python3 train.py --note 'it'\''s a b' '*')";
  EXPECT_NE(record_words(one, kTime).find("command     " + pasted), std::string::npos);
  EXPECT_NE(record_table({record_cells(one, kTime)}, {}).find(pasted), std::string::npos);
}

TEST(RecordWords, FoldOnANarrowTerminal) {
  const std::string words = record_words(record(), kTime, 40);
  EXPECT_NE(words.find("command     python3 train.py --epochs 2\n            --rate 0.1\n"),
            std::string::npos)
      << words;
}

TEST(RecordWords, OfARunThatBegins) {
  RunRecord one = record();
  one.folder = "/runs/x-kufari";
  one.outputs = {{"a", "/o/a"}};
  EXPECT_EQ(begin_words(one, false),
            "muster: run kufari, recorded in /runs/x-kufari\nmuster: output a: /o/a\n"
            "  muster logs -f kufari  # follow its output from another terminal\n"
            "  muster show kufari     # how it is, or how it ended and why\n"
            "  muster stop kufari     # stop it, as Ctrl-C does here\n");
  for (int i = 0; i < 4; ++i) one.outputs.push_back({"b", "/o/b"});
  const std::string words = begin_words(one, true);
  EXPECT_NE(words.find("muster: and 2 more outputs: muster show kufari\n"), std::string::npos);
  EXPECT_NE(words.find("  muster logs -f kufari  # follow its output\n"), std::string::npos);
  EXPECT_NE(words.find("  muster stop kufari     # stop it, as Ctrl-C would\n"), std::string::npos);
}

TEST(RecordWords, MetricsParametersAndTheBestTrial) {
  RunRecord sweep = record();
  sweep.steps = {{.name = "trial_0", .state = model::StepState::completed},
                 {.name = "trial_1",
                  .state = model::StepState::completed,
                  .values = {{"lr", "0.1"}, {"layers", "2"}}}};
  sweep.best = {"trial_1", "val/loss", 0.25};
  sweep.logged = model::Logged{{{"val/loss", 0.25, 7}}, {{"lr", "0.1"}}};
  const std::string words = record_words(sweep, kTime);
  EXPECT_NE(words.find("best        trial_1: val/loss 0.25 with lr=0.1 layers=2\n"),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("metric      val/loss=0.25 (step 7)\nparam       lr=0.1\n"),
            std::string::npos)
      << words;
  for (int i = 0; i < 60; ++i) sweep.logged->params.push_back({"p", ""});
  EXPECT_NE(record_words(sweep, kTime).find("            and 11 more\n"), std::string::npos);
}

TEST(RecordWords, WarningsOfTheReport) {
  EXPECT_EQ(warning_words(""), "");
  EXPECT_EQ(warning_words("muster: error: x\nmuster: warning: not fetched: a\n  hint: y\n"
                          "muster: warning: two"),
            "warning     not fetched: a\nwarning     two\n");
}

}  // namespace
}  // namespace muster::view::record_words_test
