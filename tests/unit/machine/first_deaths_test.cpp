// FirstDeaths: who failed first, of what hosts' clocks and the ranks themselves tell.
#include "machine/first_deaths.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace muster::machine::first_deaths_test {
namespace {

using base::Rank;
using std::chrono::milliseconds;
using Ranks = std::vector<Rank>;

constexpr base::Instant kStart{std::chrono::seconds(100)};

// On two hosts whose clocks differ by less than a millisecond.
std::optional<Window> at(std::optional<int> time) {
  if (!time) return std::nullopt;
  return Window{kStart + milliseconds(*time), kStart + milliseconds(*time + 1)};
}

class Deaths : public testing::Test {
 protected:
  void dies(std::uint32_t rank, std::uint32_t node, int time, std::optional<int> told = {},
            int code = 1, int signal = 0) {
    model::RankExit exit;
    exit.rank = Rank(rank);
    exit.code = code;
    exit.signal = signal;
    deaths_.add({exit, base::NodeIndex(node), at(time), told ? "{}" : "", {}, {}, at(told)});
    deaths_.check();
  }
  [[nodiscard]] Ranks first() const {
    Ranks ranks;
    for (const Death* death : deaths_.first()) ranks.push_back(death->exit.rank);
    return ranks;
  }

  FirstDeaths deaths_;
};

TEST_F(Deaths, TheFirstIsTheOneThatEndedFirst) {
  EXPECT_EQ(first(), Ranks{});
  dies(1, 1, 50);
  dies(0, 0, 20);
  EXPECT_EQ(first(), Ranks{Rank(0)});
}

TEST_F(Deaths, OfTwoThatNobodyCanTellApartTheHighestCodeCounts) {
  dies(0, 0, 20, {}, 1);
  dies(1, 1, 21, {}, 7);
  EXPECT_EQ(first(), (Ranks{Rank(1), Rank(0)}));
}

TEST_F(Deaths, AnInterpreterThatTakesLongToEndIsStillTheCause) {
  dies(0, 0, 40, 30);  // since the other had closed the connection
  EXPECT_EQ(first(), Ranks{Rank(0)});
  dies(1, 1, 90, 10);
  EXPECT_EQ(first(), Ranks{Rank(1)});
}

TEST_F(Deaths, SoItIsOnOneHost) {
  dies(0, 0, 40, 30);
  dies(1, 0, 90, 10);
  EXPECT_EQ(first(), Ranks{Rank(1)});
}

TEST_F(Deaths, WhoWasKilledSaysNothingAndCountsAllTheSame) {
  dies(1, 1, 25, {}, 9);
  dies(0, 0, 40, 20);  // it noticed sooner than the guard of the one that was killed
  EXPECT_EQ(first(), Ranks{Rank(1)});
}

TEST_F(Deaths, WhoAbortedItselfAfterAnotherHadSaidWhyIsNotTheCause) {
  dies(1, 1, 30, {}, 0, SIGABRT);
  EXPECT_EQ(first(), Ranks{Rank(1)});
  dies(0, 0, 90, 10);
  EXPECT_EQ(first(), Ranks{Rank(0)});
}

TEST_F(Deaths, WhoAbortedItselfBeforeAnotherSaidWhyIsTheCause) {
  dies(1, 1, 30, {}, 0, SIGABRT);
  dies(0, 0, 90, 29);  // its words may be about the first, which the guard noticed late
  EXPECT_EQ(first(), Ranks{Rank(1)});
}

TEST_F(Deaths, ClocksThatCannotTellWhoSpokeFirstDoNotDecide) {
  dies(0, 0, 40, 30);
  dies(1, 1, 90, 30);
  EXPECT_EQ(first(), Ranks{Rank(0)});
}

TEST_F(Deaths, OfManyThatSpokeTheFirstIsTheCause) {
  dies(0, 0, 40, 30);
  dies(1, 0, 41, 31);
  dies(2, 1, 60, 5);
  dies(3, 1, 61, 12);
  EXPECT_EQ(first(), Ranks{Rank(2)});
}

}  // namespace
}  // namespace muster::machine::first_deaths_test
