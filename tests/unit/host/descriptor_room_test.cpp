// How many ranks fit below the limit of open files.
#include "host/descriptor_room.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <vector>

namespace muster::host {
namespace {

TEST(DescriptorRoom, KeepsSomeForWhatComesAndGoes) {
  const std::vector<std::size_t> wanted(10, 3);
  EXPECT_EQ(ranks_that_fit(wanted, 20, 1000), 10u);
  EXPECT_EQ(ranks_that_fit(wanted, 20, 20 + 16 + 30), 10u);
  EXPECT_EQ(ranks_that_fit(wanted, 20, 20 + 16 + 29), 9u);
  EXPECT_EQ(ranks_that_fit(wanted, 1000, 1000), 0u);
}

TEST(DescriptorRoom, CountsWhatEachRankWants) {
  EXPECT_EQ(ranks_that_fit(std::vector<std::size_t>{4, 3, 3}, 0, 16 + 9), 2u);
  EXPECT_EQ(ranks_that_fit(std::vector<std::size_t>{3, 3, 3}, 0, 16 + 9), 3u);
}

TEST(DescriptorRoom, IsThatOfThisProcess) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(check_descriptors(std::vector<std::size_t>{3}));
  const std::vector<std::size_t> too_much{3, limit.rlim_cur};
  const auto refused = check_descriptors(too_much);
  ASSERT_FALSE(refused);
  EXPECT_EQ(base::exit_code(refused.error().fault), 247);
  EXPECT_EQ(refused.error().what,
            fmt::format("1 of 2 ranks here fit into the limit of {} open files (ulimit -n)",
                        limit.rlim_cur));
}

}  // namespace
}  // namespace muster::host
