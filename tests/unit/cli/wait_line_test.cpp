// Since when a run waits for its pods.
#include <gtest/gtest.h>

#include "cli/scheduled.hpp"

namespace muster::cli {
namespace {

TEST(WaitLine, HasTheTimeOfTheSubmission) {
  model::RunRecord record;
  EXPECT_EQ(wait_line(record, "job a cannot make its pods"), "job a cannot make its pods");
  using namespace std::chrono;
  record.created = sys_days(November / 23 / 2026) + 22h + 40min + 59s;
  EXPECT_EQ(wait_line(record, "job a cannot make its pods"),
            "job a cannot make its pods (waiting since 2026-11-23 22:40 UTC)");
}

}  // namespace
}  // namespace muster::cli
