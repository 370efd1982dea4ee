// Which steps hold a host of a Slurm job.
#include "machine/step_listing.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using Words = std::vector<std::string>;

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
}  // namespace muster::machine
