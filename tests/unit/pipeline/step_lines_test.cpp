// StepLines: whole lines behind a name, however their bytes come.
#include "pipeline/step_lines.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <vector>

namespace muster::pipeline::step_lines_test {
namespace {

TEST(StepLines, HoldsALineUntilItIsWhole) {
  StepLines lines("a: ");
  EXPECT_EQ(lines.feed("one\ntw"), "a: one\n");
  EXPECT_EQ(lines.feed("o"), "");
  EXPECT_EQ(lines.feed("\n\n"), "a: two\na: \n");
  EXPECT_EQ(lines.words(), "");
  EXPECT_EQ(lines.feed("last"), "");
  EXPECT_EQ(lines.finish(), "a: last\n");
  EXPECT_EQ(lines.finish(), "");
  EXPECT_EQ(lines.words(), "last");
}

TEST(StepLines, RemembersAnError) {
  StepLines lines("a: ");
  (void)lines.feed("muster: error: no folder x\n  hint: make it\n");
  EXPECT_EQ(lines.words(), "no folder x");
}

TEST(StepLines, KnowsWhichCauseItHasTold) {
  StepLines lines("a: ");
  EXPECT_FALSE(lines.has_told(""));
  (void)lines.feed("muster: error: http://h/x cannot be fetched: 404\n  hint: no\nmore\n");
  EXPECT_TRUE(lines.has_told("http://h/x cannot be fetched: 404"));
  EXPECT_FALSE(lines.has_told("rank 0 on node1 exited with code 3"));
  StepLines outer("b: ");
  (void)outer.feed("a: muster: error: no room\n");
  EXPECT_TRUE(outer.has_told("step a failed with exit code 248: no room"));
  EXPECT_EQ(outer.words(), "a: muster: error: no room");
}

TEST(StepLines, RemembersWhatWasTolerated) {
  StepLines lines("a: ");
  (void)lines.feed("2 of 5 mini-batches failed, within mini_batch_error_threshold: 2; no\nmore\n");
  EXPECT_EQ(lines.tolerated(),
            "2 of 5 mini-batches failed, within mini_batch_error_threshold: 2; no");
  EXPECT_EQ(lines.words(), "more");
  (void)lines.feed("1 item failed, within error_threshold: 4; no\n");
  EXPECT_EQ(lines.tolerated(), "1 item failed, within error_threshold: 4; no");
}

TEST(StepLines, KeepsNoWordsUnlessToldTo) {
  StepLines lines("a: ", false);
  EXPECT_EQ(lines.feed("muster: error: no\n1 item failed, within error_threshold: 4; no\n"),
            "a: muster: error: no\na: 1 item failed, within error_threshold: 4; no\n");
  EXPECT_EQ(lines.words(), "");
  EXPECT_EQ(lines.tolerated(), "");
}

TEST(StepLines, CutsALineThatIsTooLong) {
  StepLines lines("");
  const std::string most(kStepLineMax, 'x');
  EXPECT_EQ(lines.feed(most + "y"), most + "\n");
  EXPECT_EQ(lines.feed("\n"), "y\n");
  EXPECT_EQ(lines.feed(most + most + "y\n"), most + "\n" + most + "\ny\n");
}

TEST(StepLines, DoesNotCareHowBytesAreCut) {
  rc::check([](const std::vector<std::string>& pieces) {
    StepLines whole("p ");
    StepLines cut("p ");
    std::string all;
    std::string lines;
    for (const std::string& piece : pieces) {
      all += piece + "\n";
      lines += cut.feed(piece);
      lines += cut.feed("\n");
    }
    RC_ASSERT(lines == whole.feed(all));
  });
}

}  // namespace
}  // namespace muster::pipeline::step_lines_test
