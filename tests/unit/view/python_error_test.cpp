// What a Python rank wrote to TORCHELASTIC_ERROR_FILE, in words.
#include "view/python_error.hpp"

#include <gtest/gtest.h>

#include "view/report.hpp"

namespace muster::view {
namespace {

using Lines = std::vector<std::string>;

// As the hook and torch's @record write it; the frames of torch and of Python are not the user's.
constexpr std::string_view kFile =
    R"({"message": {"message": "ValueError: bad\nbatch", "extraInfo": {"py_callstack": ")"
    R"(Traceback (most recent call last):\n  File \"a.py\", line 1, in old\n    x()\n)"
    R"(KeyError: 1\n\nDuring handling of the above exception, another exception occurred:\n\n)"
    R"(Traceback (most recent call last):\n)"
    R"(  File \"/usr/lib/python3/dist-packages/torch/errors.py\", line 346, in wrapper\n)"
    R"(    return f()\n  File \"/job/train.py\", line 9, in <module>\n    main()\n)"
    R"(  File \"/job/train.py\", line 7, in main\n)"
    R"(  File \"/job/step.py\", line 3, in step\n    raise ValueError(b)\n)"
    R"(  File \"/job/deep.py\", line 1, in deep\n    raise\n)"
    R"(  File \"/usr/lib/python3.11/json.py\", line 5, in f\n    y\nValueError: bad\nbatch\n)"
    R"(", "timestamp": "1"}}})";

TEST(PythonError, ShowsTheInnermostOwnFrames) {
  const PythonError error = python_error(kFile);
  EXPECT_EQ(error.what, "ValueError: bad");
  EXPECT_EQ(error.frames,
            (Lines{"/job/deep.py:1 in deep: raise", "/job/step.py:3 in step: raise ValueError(b)",
                   "/job/train.py:7 in main"}));
}

TEST(PythonError, TellsWhatNcclSaidLast) {
  const PythonError error = python_error(
      R"({"message": {"message": "DistBackendError: NCCL error in: NCCLUtils.cpp:93, bad usage\n)"
      R"(ncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\n)"
      R"(Bootstrap : no socket interface found"}})");
  EXPECT_EQ(error.what, "DistBackendError: Bootstrap : no socket interface found");
}

TEST(PythonError, ReadsTheOlderForm) {
  const PythonError error = python_error(R"({"message": "it broke", "timestamp": 7})");
  EXPECT_EQ(error.what, "it broke");
  EXPECT_TRUE(error.frames.empty());
}

TEST(PythonError, MayBeTheTextOfAnExit) {
  const PythonError error = python_error(
      R"({"message": {"message": "bad batch\nin data/7", "extraInfo": {"py_callstack": ""}}})");
  EXPECT_EQ(error.what, "bad batch");
  EXPECT_TRUE(error.frames.empty());
}

TEST(PythonError, LeavesWhatIsNoSuchFile) {
  for (const std::string_view text :
       {"", "{", "[]", "7", "{}", R"({"message": 7})", R"({"message": {"message": ["x"]}})",
        R"({"message": {"extraInfo": 5}})", "\xff\xfe"}) {
    EXPECT_EQ(python_error(text).what, "") << text;
  }
}

TEST(PythonError, IsMadeSafeToPrintAndBounded) {
  const std::string text =
      R"({"message": {"message": "E: \u001b[31mred)" + std::string(9000, 'x') + R"("}})";
  const std::string what = python_error(text).what;
  EXPECT_EQ(what.find('\x1b'), std::string::npos);
  EXPECT_LE(what.size(), 400U);
}

TEST(PythonError, StandsInTheReport) {
  model::RunReport failed;
  failed.cause = model::Cause::rank_failed;
  failed.first = {base::Rank(1), 7, 1};
  failed.world_size = 1;
  failed.error_file = kFile;
  const std::string text = report(failed, {});
  EXPECT_NE(text.find("exited with code 1 (pid 7): ValueError: bad\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    at /job/deep.py:1 in deep: raise\n"), std::string::npos) << text;
}

TEST(PythonError, IsNotRepeatedBelowTheOutputOfAnOnlyRank) {
  model::RunReport failed;
  failed.cause = model::Cause::rank_failed;
  failed.first = {base::Rank(0), 7, 1};
  failed.world_size = 1;
  failed.error_file = kFile;
  failed.tail = {"Traceback (most recent call last):", "  File \"x\"", "ValueError: bad"};
  EXPECT_EQ(untold(failed, {}),
            "muster: rank 0 exited with code 1 (pid 7): ValueError: bad\nmuster: exit code 1\n");
  EXPECT_NE(report(failed, {}).find("    at /job/deep.py:1 in deep: raise\n"), std::string::npos);
  failed.tail.clear();  // the program has sent its stderr to a file
  EXPECT_NE(untold(failed, {}).find("    at /job/deep.py:1 in deep: raise\n"), std::string::npos);
  failed.tail = {"ValueError: bad"};
  failed.world_size = 2;
  EXPECT_NE(untold(failed, {}).find("    at /job/deep.py:1 in deep: raise\n"), std::string::npos);
}

TEST(PythonError, StandsForItsTracebackAndNothingElse) {
  model::RunReport failed;
  failed.cause = model::Cause::rank_failed;
  failed.first = {base::Rank(0), 7, 1};
  failed.world_size = 2;
  failed.error_file = kFile;
  failed.tail = {"[rank0]: Traceback (most recent call last):", "[rank0]:   File \"x\"",
                 "[rank0]: ValueError: bad", "closing the log"};
  const std::string text = untold(failed, {});
  EXPECT_NE(text.find("    at /job/train.py:7 in main\n  | closing the log\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("Traceback"), std::string::npos) << text;
  failed.error_file.clear();
  EXPECT_NE(untold(failed, {}).find("  | [rank0]: Traceback"), std::string::npos);
}

}  // namespace
}  // namespace muster::view
