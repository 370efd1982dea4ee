// Two readings of the kernel's counters: what happened in between.
#include "machine/memory_kills.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using model::MemoryCounters;

MemoryCounters groups(MemoryCounters::Group own, MemoryCounters::Group above) {
  return {{std::move(own), std::move(above)}, {}};
}

TEST(MemoryKills, AreNoneWhenNothingMoved) {
  const MemoryCounters same = groups({"/a/b", 2, 2}, {"/a", 9, 9});
  const auto kills = memory_kills(same, same);
  ASSERT_TRUE(kills);
  EXPECT_EQ(*kills, model::MemoryKills{});
}

TEST(MemoryKills, NameTheGroupWhoseLimitWasReached) {
  const MemoryCounters before = groups({"/a/b", 2, 2}, {"/a", 9, 9});
  EXPECT_EQ(*memory_kills(before, groups({"/a/b", 3, 3}, {"/a", 10, 10})),
            (model::MemoryKills{1, "/a/b", 0, false}));
  EXPECT_EQ(*memory_kills(before, groups({"/a/b", 2, 4}, {"/a", 10, 11})),
            (model::MemoryKills{2, "/a", 0, false}));
  EXPECT_EQ(*memory_kills(before, groups({"/a/b", 2, 3}, {"/a", 9, 10})),
            (model::MemoryKills{1, "", 0, false}))
      << "no limit of a group: the machine's memory ran out";
}

TEST(MemoryKills, OfOtherGroupsBelowTheSameAreNotOurs) {
  const MemoryCounters before = groups({"/a/b", 0, 0}, {"/a", 0, 0});
  EXPECT_EQ(memory_kills(before, groups({"/a/b", 0, 0}, {"/a", 5, 5}))->killed, 0u);
}

TEST(MemoryKills, OfTheMachineMayBeSomebodyElses) {
  EXPECT_EQ(*memory_kills({{}, 4}, {{}, 5}), (model::MemoryKills{1, "", 0, true}));
  EXPECT_EQ(memory_kills({{}, 4}, {{}, 4})->killed, 0u);
  EXPECT_FALSE(memory_kills({}, {}));
}

}  // namespace
}  // namespace muster::machine
