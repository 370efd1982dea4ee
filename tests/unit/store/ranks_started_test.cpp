// RanksStarted: found in pieces, whoever writes how much.
#include "store/ranks_started.hpp"

#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "unit/folder.hpp"

namespace muster::store {
namespace {

constexpr const char* kRunning = R"({"time":"2026-11-21T21:25:30.123Z","event":"running"})";

class RanksStartedTest : public testing::Test {
 protected:
  [[nodiscard]] std::string events() const { return folder_.path() + "/events.jsonl"; }
  void add(const std::string& text) const { std::ofstream(events(), std::ios::app) << text; }

  unit::Folder folder_;
};

TEST_F(RanksStartedTest, IsToldByOneEvent) {
  RanksStarted started(folder_.path());
  Allowance left;
  EXPECT_FALSE(started.look(left)) << "there is no record yet";
  add(R"({"time":"2026-11-21T21:25:30.123Z","event":"created"})"
      "\n");
  EXPECT_FALSE(started.look(left));
  add(kRunning);
  EXPECT_FALSE(started.look(left)) << "half a line";
  add("\n");
  EXPECT_TRUE(started.look(left));
  ASSERT_EQ(::unlink(events().c_str()), 0);
  EXPECT_TRUE(started.look(left)) << "once and for all";
}

TEST_F(RanksStartedTest, ManyEventsTakeSeveralLooks) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "{\"event\":\"started\",\"rank\":123456}\n";
  add(text);
  add(std::string(kRunning) + "\n");
  RanksStarted started(folder_.path());
  int looks = 0;
  for (bool found = false; !found && looks < 1000; ++looks) {
    Allowance left;
    found = started.look(left);
    EXPECT_GT(left.bytes, 0U) << "something is left for others";
  }
  EXPECT_GT(looks, 1);
  EXPECT_LT(looks, 1000);
}

TEST_F(RanksStartedTest, TerabytesOfHolesAreOneLook) {
  add("\n");
  ASSERT_EQ(::truncate(events().c_str(), off_t{4} << 40), 0);
  RanksStarted started(folder_.path());
  Allowance left;
  EXPECT_FALSE(started.look(left));
}

}  // namespace
}  // namespace muster::store
