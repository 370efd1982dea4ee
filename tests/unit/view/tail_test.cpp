// The last words of a rank: safe to print, and the telling line found.
#include "view/tail.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace muster::view {
namespace {

using Lines = std::vector<std::string>;

TEST(Printable, LeavesPlainTextAlone) {
  EXPECT_EQ(printable("ValueError: größer als 3"), "ValueError: größer als 3");
  EXPECT_EQ(printable(""), "");
}

TEST(Printable, DropsColoursTitlesAndBells) {
  EXPECT_EQ(printable("\x1b[1;31mred\x1b[0m \x1b]0;title\atext\a"), "red text");
}

TEST(Printable, DropsEscapesThatNeverEnd) {
  EXPECT_EQ(printable("a\x1b"), "a");
  EXPECT_EQ(printable("a\x1b[1;3"), "a");
  EXPECT_EQ(printable("a\x1b]0;title"), "a");
}

TEST(Printable, ShowsWhatAProgressBarEndedWith) {
  EXPECT_EQ(printable(" 10%\r 50%\r100% done\r\n"), "100% done");
}

TEST(Printable, TabsBecomeSpaces) { EXPECT_EQ(printable("a\tb"), "a b"); }

TEST(Printable, CutsLongLinesBetweenCharacters) {
  const std::string text = printable(std::string(8, 'x') + "ßßßß", 12);
  EXPECT_EQ(text, "xxxxxxxx...");
  EXPECT_EQ(printable(std::string(1'000'000, 'x')).size(), kLineMax);
}

TEST(TellingLine, IsTheEndOfATraceback) {
  const Lines tail{"Traceback (most recent call last):", "  File \"t.py\", line 3, in <module>",
                   "    f()", "ValueError: bad shape", "some last word of a library"};
  EXPECT_EQ(telling_line(tail), "ValueError: bad shape");
}

// As torch 2.11 with NCCL 2.28 printed it when two ranks used one GPU.
TEST(TellingLine, IsWhatNcclSaidLast) {
  const Lines tail{
      "[rank1]: Traceback (most recent call last):",
      "[rank1]:   File \"/tmp/dup.py\", line 5, in <module>",
      "[rank1]:     work = group.allreduce([tensor], opts)",
      "[rank1]: torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:93, "
      "invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.28.9",
      "[rank1]: ncclInvalidUsage: This usually reflects invalid usage of NCCL library.",
      "[rank1]: Last error:",
      "[rank1]: Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 60",
      "[rank1]:[W1128 01:26:11.4 ProcessGroupNCCL.cpp:1575] Warning: WARNING: x"};
  EXPECT_EQ(telling_line(tail),
            "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 60");
  EXPECT_EQ(telling_line(Lines{"[rank12]: Traceback (most recent call last):",
                               "[rank12]:   File \"t.py\", line 3, in <module>",
                               "[rank12]:     f()", "[rank12]: ValueError: bad shape"}),
            "ValueError: bad shape");
  EXPECT_EQ(telling_line(Lines{"NCCL error", "Last error:", ""}), "NCCL error");
  EXPECT_EQ(telling_line(Lines{"NCCL error", "Last error:"}), "NCCL error");
}

TEST(TellingLine, IsFoundWhenTheHeadingOfTheTracebackIsCutOff) {
  const Lines tail{"    g()", "  File \"t.py\", line 9, in g", "    raise Stop(\"no data\")",
                   "__main__.Stop: no data"};
  EXPECT_EQ(telling_line(tail), "__main__.Stop: no data");
}

TEST(TellingLine, OfChainedTracebacksIsTheLast) {
  const Lines tail{"Traceback (most recent call last):",
                   "  File \"t.py\", line 3, in <module>",
                   "KeyError: 'x'",
                   "",
                   "During handling of the above exception, another exception occurred:",
                   "",
                   "Traceback (most recent call last):",
                   "  File \"t.py\", line 5, in <module>",
                   "RuntimeError: no x"};
  EXPECT_EQ(telling_line(tail), "RuntimeError: no x");
}

TEST(TellingLine, IsAnExceptionWithoutATraceback) {
  EXPECT_EQ(telling_line(Lines{"starting", "torch.cuda.OutOfMemoryError: CUDA out of memory", "x"}),
            "torch.cuda.OutOfMemoryError: CUDA out of memory");
  EXPECT_EQ(telling_line(Lines{"KeyboardInterrupt"}), "KeyboardInterrupt");
}

TEST(TellingLine, IsWhatACppExceptionSays) {
  EXPECT_EQ(
      telling_line(Lines{"terminate called after throwing an instance of 'std::runtime_error'",
                         "  what():  no such file", ""}),
      "no such file");
}

TEST(TellingLine, IsAFatalMessageOfALog) {
  EXPECT_EQ(telling_line(Lines{"I1127 15:47:40.1   21024 client.h:70] connected",
                               "F1127 15:47:47.428535   21024 client.h:80] Terminating process", "",
                               "RPC: /xla.CoordinationService/RegisterTask"}),
            "Terminating process");
  EXPECT_EQ(telling_line(Lines{"F1127 x", "F12] 3.4", "Fine 1.5 of [2] 3", "F1127] a.b"}),
            std::nullopt);
}

TEST(TellingLine, IsAMessageOfTheSystem) {
  EXPECT_EQ(telling_line(Lines{"step 1", "write: No space left on device", "giving up"}),
            "write: No space left on device");
  EXPECT_EQ(telling_line(Lines{"a.out: a.c:3: main: Assertion `x == 1' failed."}),
            "a.out: a.c:3: main: Assertion `x == 1' failed.");
}

TEST(TellingLine, IsMissingWhenNothingIsRecognised) {
  EXPECT_EQ(telling_line(Lines{"step 1", "loss 0.3", "ErrorRate: 3"}), std::nullopt);
  EXPECT_EQ(telling_line(Lines{}), std::nullopt);
}

}  // namespace
}  // namespace muster::view
