// Runs whose records went: what is kept of them, and what a spoilt file costs.
#include "store/removed.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "store/files.hpp"

namespace muster::store::removed_test {
namespace {

constexpr const char* kOne = "20261121-212530.123-kufa";
constexpr const char* kTwo = "20261122-212530.123-bobi";

class Removed : public testing::Test {
 protected:
  std::string folder_ = testing::TempDir() + "removed";
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(Removed, EachHostIsToldOnce) {
  note_removed(folder_, {{kOne, {"a", "b"}}});
  note_removed(folder_, {{kTwo, {"b"}}, {kOne, {}}});
  EXPECT_EQ(removed_runs(folder_), (std::vector<RemovedRun>{{kOne, {"a", "b"}}, {kTwo, {"b"}}}));
  forget_removed(folder_, {kOne, kTwo}, "b");
  EXPECT_EQ(removed_runs(folder_), (std::vector<RemovedRun>{{kOne, {"a"}}}));
  forget_removed(folder_, {kOne}, "a");
  EXPECT_EQ(read_file(folder_ + "/.removed"), "");
}

TEST_F(Removed, NoneIsNoFile) {
  note_removed(folder_, {{kOne, {}}});
  forget_removed(folder_, {kOne}, "a");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/.removed"));
  EXPECT_TRUE(removed_runs(folder_).empty());
}

TEST_F(Removed, WhatAnotherUserHasPutThereTellsNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  note_removed(folder_, {{kOne, {"a"}}});
  ASSERT_EQ(::chown((folder_ + "/.removed").c_str(), 12345, 12345), 0);
  EXPECT_TRUE(removed_runs(folder_).empty());
  note_removed(folder_, {{kTwo, {"a"}}});
  EXPECT_EQ(read_file(folder_ + "/.removed"), std::string(kOne) + " a\n");
}

TEST_F(Removed, LinesThatMakeNoSenseAreLeftOut) {
  EXPECT_EQ(removed_in("x\n../.. a\n20261121-2125\n20261121-212530.123-kufa\n\n" +
                       std::string(kTwo) + " a b\n" + kOne + " c"),
            (std::vector<RemovedRun>{{kTwo, {"a", "b"}}, {kOne, {"c"}}}));
}

}  // namespace
}  // namespace muster::store::removed_test
