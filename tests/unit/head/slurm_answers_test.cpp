// What squeue's answers mean.
#include <gtest/gtest.h>
#include <optional>

#include "head/allocation_end.hpp"
#include "head/step_listing.hpp"

namespace muster::head {
namespace {

using Words = std::vector<std::string>;

TEST(LocalTime, IsReadAsSqueueWritesIt) {
  const auto first = read_local_time("2026-11-23T23:30:47\n");
  const auto second = read_local_time("2026-11-23T23:31:47");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*second - *first, 60);
}

TEST(LocalTime, IsNothingElse) {
  for (const char* text : {"", "NONE", "N/A", "Unknown", "2026-11-23", "2026-11-23T23:30:47 x"}) {
    EXPECT_EQ(read_local_time(text), std::nullopt) << text;
  }
}

TEST(Holders, AreTheOtherStepsOfAHost) {
  const char* listing =
      "4.0|sleep|n[1-2]\n4.1|a|b|n2\n4.batch|batch|n1\n4.interactive|interactive|n1\n\nx\n";
  EXPECT_EQ(holders_of("n1", listing, "muster-1"), Words{"4.0 (sleep)"});
  EXPECT_EQ(holders_of("n2", listing, "muster-1"), (Words{"4.0 (sleep)", "4.1 (a|b)"}));
  EXPECT_EQ(holders_of("n3", listing, "muster-1"), Words{});
}

TEST(Holders, DoNotMatterOnceOurStepIsThere) {
  EXPECT_EQ(holders_of("n1", "4.0|sleep|n1\n4.1|muster-1|n[1-3]\n", "muster-1"), std::nullopt);
  EXPECT_EQ(holders_of("n4", "4.0|sleep|n4\n4.1|muster-1|n[1-3]\n", "muster-1"),
            Words{"4.0 (sleep)"});
}

}  // namespace
}  // namespace muster::head
