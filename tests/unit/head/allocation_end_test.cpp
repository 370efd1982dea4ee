// What squeue's answer means.
#include "head/allocation_end.hpp"

#include <gtest/gtest.h>
#include <optional>

namespace muster::head {
namespace {

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

}  // namespace
}  // namespace muster::head
