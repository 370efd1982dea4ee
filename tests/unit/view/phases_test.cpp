// When a run reached its phases, as its events tell.
#include "view/phases.hpp"

#include <gtest/gtest.h>

namespace muster::view::phases_test {
namespace {

using model::Phase;
using model::PhaseReached;

TEST(PhaseWords, LeaveOutWhatWasNotReached) {
  Phases phases;
  EXPECT_EQ(phases.words(), "");
  phases.hear(PhaseReached{Phase::greeted, base::Duration(41)});
  EXPECT_EQ(phases.words(), "greeted 0.041 s");
  phases.hear(model::RankStarted{});
  phases.hear(PhaseReached{Phase::prepared, base::Duration(42)});
  phases.hear(PhaseReached{Phase::started, base::Duration(50)});
  phases.hear(PhaseReached{Phase::ended, base::Duration(1203)});
  EXPECT_EQ(phases.words(), "greeted 0.041 s, prepared 0.042 s, started 0.050 s, ended 1.203 s");
}

TEST(PhaseWords, OfARestartedRunHaveTheFirstStartAndTheLastEnd) {
  Phases phases;
  for (const int begin : {0, 1000}) {
    phases.hear(PhaseReached{Phase::started, base::Duration(begin + 50)});
    phases.hear(PhaseReached{Phase::ended, base::Duration(begin + 70)});
  }
  EXPECT_EQ(phases.words(), "started 0.050 s, ended 1.070 s");
}

}  // namespace
}  // namespace muster::view::phases_test
