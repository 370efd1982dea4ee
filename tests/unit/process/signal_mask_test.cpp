// HeldSignals and rest: a wait that a signal ends, and that leaves the signal to be found.
#include "process/signal_mask.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace muster::process {
namespace {

constexpr base::Duration kForEver = std::chrono::hours(1);

TEST(Rest, EndsAtOnceWhereASignalWaits) {
  const HeldSignals held;
  ASSERT_EQ(::raise(SIGTERM), 0);
  rest(kForEver);
  EXPECT_EQ(waiting_signal(), SIGTERM);
}

TEST(Rest, EndsWithASignalThatComes) {
  const HeldSignals held;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::kill(::getppid(), SIGINT));
  rest(kForEver);
  EXPECT_EQ(waiting_signal(), SIGINT);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST(Rest, EndsWithItsTime) {
  const HeldSignals held;
  rest(base::Duration(1));
  EXPECT_EQ(waiting_signal(), 0);
}

TEST(SightOfSignals, IsThereUntilTheyAreDropped) {
  const HeldSignals held;
  const UniqueFd signals = sight_of_signals();
  pollfd wanted{signals.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&wanted, 1, 0), 0);
  ASSERT_EQ(::raise(SIGINT), 0);
  EXPECT_EQ(::poll(&wanted, 1, 0), 1);
  drop_waiting_signals();
  EXPECT_EQ(::poll(&wanted, 1, 0), 0);
}

}  // namespace
}  // namespace muster::process
