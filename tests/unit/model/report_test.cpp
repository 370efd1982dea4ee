// The exit code of a run under each launcher's rules.
#include "model/report.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <utility>

namespace muster::model {
namespace {

using base::Fault;
using base::Rank;

RunReport failed(ExitStyle style, int code, int signal = 0) {
  RunReport report;
  report.style = style;
  report.cause = Cause::rank_failed;
  report.first = {.rank = Rank(1), .pid = 5, .code = code, .signal = signal};
  report.codes = signal == 0 ? code : signal;
  return report;
}

RunReport faulty(ExitStyle style, Fault fault) {
  RunReport report;
  report.style = style;
  report.cause = Cause::fault;
  report.error.fault = fault;
  return report;
}

RunReport interrupted(ExitStyle style) {
  RunReport report;
  report.style = style;
  report.cause = Cause::interrupted;
  report.signal = SIGTERM;
  return report;
}

TEST(ExitCode, IsZeroWhenAllEndedWell) {
  for (const auto style :
       {ExitStyle::muster, ExitStyle::open_mpi, ExitStyle::hydra, ExitStyle::torch}) {
    RunReport report;
    report.style = style;
    EXPECT_EQ(report.exit_code(), 0);
  }
}

TEST(ExitCode, OfMuster) {
  EXPECT_EQ(failed(ExitStyle::muster, 3).exit_code(), 3);
  EXPECT_EQ(failed(ExitStyle::muster, 0, SIGKILL).exit_code(), 137);
  EXPECT_EQ(faulty(ExitStyle::muster, Fault::timeout).exit_code(), 246);
  EXPECT_EQ(interrupted(ExitStyle::muster).exit_code(), 143);
}

TEST(ExitCode, OfOpenMpi) {
  EXPECT_EQ(failed(ExitStyle::open_mpi, 3).exit_code(), 3);
  EXPECT_EQ(failed(ExitStyle::open_mpi, 0, SIGKILL).exit_code(), 137);
  EXPECT_EQ(faulty(ExitStyle::open_mpi, Fault::timeout).exit_code(), 110);
  EXPECT_EQ(faulty(ExitStyle::open_mpi, Fault::cannot_start).exit_code(), 134);
  EXPECT_EQ(faulty(ExitStyle::open_mpi, Fault::lost).exit_code(), 1);
  EXPECT_EQ(interrupted(ExitStyle::open_mpi).exit_code(), 1);
}

TEST(ExitCode, OfHydra) {
  EXPECT_EQ(failed(ExitStyle::hydra, 3).exit_code(), 3);
  EXPECT_EQ(failed(ExitStyle::hydra, 0, SIGKILL).exit_code(), 9);
  EXPECT_EQ(faulty(ExitStyle::hydra, Fault::cannot_start).exit_code(), 255);
  EXPECT_EQ(interrupted(ExitStyle::hydra).exit_code(), 15);
}

TEST(ExitCode, OfOutputThatIsLost) {
  for (const auto& [style, code] :
       {std::pair(ExitStyle::muster, 248), std::pair(ExitStyle::open_mpi, 1),
        std::pair(ExitStyle::hydra, 255), std::pair(ExitStyle::torch, 1)}) {
    EXPECT_EQ(faulty(style, Fault::output).exit_code(), code);
  }
}

TEST(ExitCode, OfARankThatAskedForTheEnd) {
  RunReport aborted = failed(ExitStyle::hydra, 7);
  aborted.aborted = true;
  aborted.codes = 8;
  aborted.worst = 243;  // of a rank that had failed a moment before
  for (const ExitStyle style : {ExitStyle::hydra, ExitStyle::open_mpi, ExitStyle::muster}) {
    aborted.style = style;
    EXPECT_EQ(aborted.exit_code(), 7);
  }
}

TEST(ExitCode, OfTorch) {
  EXPECT_EQ(failed(ExitStyle::torch, 3).exit_code(), 1);
  EXPECT_EQ(faulty(ExitStyle::torch, Fault::timeout).exit_code(), 1);
  EXPECT_EQ(interrupted(ExitStyle::torch).exit_code(), 1);
}

}  // namespace
}  // namespace muster::model
