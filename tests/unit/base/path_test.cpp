// lies_in: a name that only begins alike is another one.
#include "base/path.hpp"

#include <gtest/gtest.h>

namespace muster::base {
namespace {

TEST(LiesIn, AFolderHoldsItselfAndWhatIsBelow) {
  EXPECT_TRUE(lies_in("/a/b", "/a/b"));
  EXPECT_TRUE(lies_in("/a/b/c", "/a/b"));
  EXPECT_TRUE(lies_in("/a", "/"));
  EXPECT_TRUE(lies_in("/", "/"));
}

TEST(LiesIn, NamesThatBeginAlikeAreOthers) {
  EXPECT_FALSE(lies_in("/a/bc", "/a/b"));
  EXPECT_FALSE(lies_in("/a", "/a/b"));
  EXPECT_FALSE(lies_in("a", "/"));
}

}  // namespace
}  // namespace muster::base
