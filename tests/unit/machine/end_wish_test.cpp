// Which signals ask for the end a second time.
#include "machine/end_wish.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace muster::machine::end_wish_test {
namespace {

base::Instant at(int milliseconds) {
  return base::Instant(std::chrono::milliseconds(milliseconds));
}

TEST(EndWish, TheFirstSignalIsNoRepetition) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    EndWish wish;
    EXPECT_FALSE(wish.is_there());
    EXPECT_FALSE(wish.hear(number, at(0)));
    EXPECT_TRUE(wish.is_there());
  }
}

TEST(EndWish, WhatAPersonTypesAgainCountsAtOnce) {
  EndWish wish;
  EXPECT_FALSE(wish.hear(SIGTERM, at(0)));
  EXPECT_TRUE(wish.hear(SIGINT, at(1)));
}

TEST(EndWish, WhatMayBePassedOnCountsAgainAfterAWhile) {
  EndWish wish;
  EXPECT_FALSE(wish.hear(SIGTERM, at(0)));
  EXPECT_FALSE(wish.hear(SIGTERM, at(10)));
  EXPECT_FALSE(wish.hear(SIGHUP, at(3000)));
  EXPECT_TRUE(wish.hear(SIGTERM, at(3001)));
}

TEST(EndWish, OneWithoutASignalIsTheFirst) {
  EndWish wish;
  wish.note(at(0));
  EXPECT_TRUE(wish.is_there());
  EXPECT_FALSE(wish.hear(SIGTERM, at(5)));
  EXPECT_TRUE(wish.hear(SIGINT, at(6)));
}

}  // namespace
}  // namespace muster::machine::end_wish_test
