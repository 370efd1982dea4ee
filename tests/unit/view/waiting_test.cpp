// What people are told of a wait.
#include "view/waiting.hpp"

#include <gtest/gtest.h>

namespace muster::view {
namespace {

using std::chrono::milliseconds;

TEST(Waiting, SaysSinceWhenAndUntilWhen) {
  EXPECT_EQ(Waiting(milliseconds(15'000)).tell("waiting for n1", milliseconds(3'001)),
            "waiting for n1 (3 s so far, at most 15 s)");
  EXPECT_EQ(Waiting(milliseconds(1'500), "for one attempt").tell("waiting", milliseconds(0)),
            "waiting (0 s so far, at most 1.5 s for one attempt)");
}

TEST(Waiting, SaysSoOnceAndAgainWhenItWaitsForSomethingElse) {
  Waiting waiting(milliseconds(60'000));
  EXPECT_TRUE(waiting.tell("waiting for n1, n2", milliseconds(3'000)).has_value());
  EXPECT_EQ(waiting.tell("waiting for n1, n2", milliseconds(13'000)), std::nullopt);
  EXPECT_EQ(waiting.tell("waiting for n2", milliseconds(23'000)),
            "waiting for n2 (23 s so far, at most 60 s)");
}

}  // namespace
}  // namespace muster::view
