// Signals by name and by number.
#include "base/signal_names.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace muster::base {
namespace {

TEST(SignalNames, HaveANameWhereTheSystemDoes) {
  EXPECT_EQ(signal_name(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(signal_name(34), "");
}

TEST(SignalNames, AreReadInAnyFormPeopleUse) {
  EXPECT_EQ(signal_number("SIGUSR1"), SIGUSR1);
  EXPECT_EQ(signal_number("usr1"), SIGUSR1);
  EXPECT_EQ(signal_number("10"), 10);
  for (const char* wrong : {"", "0", "65", "-1", "SIG", "SIGNONE", "10x"}) {
    EXPECT_FALSE(signal_number(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace muster::base
