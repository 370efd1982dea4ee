// What is told of a name that is understood and does not work.
#include "table/support.hpp"

#include <gtest/gtest.h>

namespace muster::table {
namespace {

TEST(Support, WorksUnlessARowSaysOtherwise) {
  EXPECT_TRUE(Support{}.works());
  EXPECT_FALSE(no_effect("why").works());
  EXPECT_FALSE(refused("why").works());
}

TEST(Support, IsToldWithTheNameAndTheReason) {
  EXPECT_EQ(told("--opt", no_effect("nobody listens")), "--opt has no effect here: nobody listens");
  EXPECT_EQ(told("resources.disk", refused("there is none")), "resources.disk: there is none");
}

}  // namespace
}  // namespace muster::table
