// value_of: the whole name counts, the first entry wins.
#include "base/variables.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace muster::base {
namespace {

TEST(Variables, AreFoundByTheirWholeName) {
  const std::vector<std::string> environment = {"PATHS=no", "PATH=/bin:/usr/bin", "EMPTY=", "X",
                                                "PATH=second"};
  EXPECT_EQ(value_of(environment, "PATH"), "/bin:/usr/bin");
  EXPECT_EQ(value_of(environment, "EMPTY"), "");
  EXPECT_EQ(value_of(environment, "X"), "");
  EXPECT_EQ(value_of(environment, "PAT"), "");
}

}  // namespace
}  // namespace muster::base
