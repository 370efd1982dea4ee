// A list that is drawn again and again.
#include "view/drawn_over.hpp"

#include <gtest/gtest.h>

namespace muster::view::drawn_over_test {
namespace {

TEST(DrawnOver, ClearsWhatStoodThere) {
  EXPECT_EQ(drawn_over("RUN\na\n", 24), "RUN\x1b[K\na\x1b[K\n\x1b[J");
}

TEST(DrawnOver, KeepsTheHeadLineAndTheLast) {
  EXPECT_EQ(drawn_over("RUN\na\nb\nc\n", 4), "RUN\x1b[K\nb\x1b[K\nc\x1b[K\n\x1b[J");
}

}  // namespace
}  // namespace muster::view::drawn_over_test
