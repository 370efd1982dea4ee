// Signals in words.
#include "view/signals.hpp"

#include <csignal>
#include <gtest/gtest.h>

#include "view/report.hpp"

namespace muster::view {
namespace {

TEST(Signals, AreNamedWithTheirMeaning) {
  EXPECT_EQ(signal_words(SIGSEGV), "signal 11 (SIGSEGV, invalid memory reference)");
  EXPECT_EQ(signal_words(SIGABRT), "signal 6 (SIGABRT, it aborted itself)");
  EXPECT_EQ(
      signal_words(SIGKILL),
      "signal 9 (SIGKILL, sent by a user, a batch system or the kernel's out-of-memory killer)");
}

TEST(Signals, WithoutMeaningKeepTheirName) {
  EXPECT_EQ(signal_words(SIGURG), "signal 23 (SIGURG)");
}

TEST(Signals, WithoutNameKeepTheirNumber) {
  EXPECT_EQ(signal_words(40), "signal 40");
  EXPECT_EQ(signal_words(0), "signal 0");
  EXPECT_EQ(signal_words(-1), "signal -1");
}

TEST(Signals, BelowTheRealTimeOnesAllHaveNames) {
  for (int number = 1; number <= SIGSYS; ++number) {
    EXPECT_TRUE(signal_facts(number).name.starts_with("SIG")) << number;
  }
}

}  // namespace
}  // namespace muster::view
