// InputFlow: nobody gets more than a window ahead, and nothing is read that nobody takes.
#include "machine/input_flow.hpp"

#include <concepts>
#include <gtest/gtest.h>

namespace muster::machine::input_flow_test {
namespace {

using base::Rank;
using model::StdinTo;

static_assert(std::equality_comparable<InputFlow> && std::copyable<InputFlow>);

TEST(InputFlow, IsNotReadUnlessARankWantsIt) {
  InputFlow none({StdinTo::none, {}}, 2);
  EXPECT_FALSE(none.change(true));
  EXPECT_TRUE(none.targets().empty());
}

TEST(InputFlow, IsLeftToRanksThatInheritIt) {
  InputFlow inherited({StdinTo::inherited, {}}, 2);
  EXPECT_FALSE(inherited.change(true));
  EXPECT_TRUE(inherited.targets().empty());
}

TEST(InputFlow, StartsWhenAllRun) {
  InputFlow flow({StdinTo::one, Rank(1)}, 2);
  EXPECT_FALSE(flow.change(false));
  EXPECT_EQ(flow.change(true), true);
  EXPECT_FALSE(flow.change(true)) << "no news";
}

TEST(InputFlow, PausesForTheSlowest) {
  InputFlow flow({StdinTo::all, {}}, 2);
  EXPECT_EQ(flow.change(true), true);
  EXPECT_EQ(flow.send(kInputWindow), (std::vector{Rank(0), Rank(1)}));
  EXPECT_EQ(flow.change(true), false);
  flow.taken(Rank(0), kInputWindow);
  EXPECT_FALSE(flow.change(true)) << "rank 1 has taken nothing";
  flow.taken(Rank(1), 1);
  EXPECT_EQ(flow.change(true), true);
}

// They get no input, and the window holds meanwhile.
TEST(InputFlow, DoesNotHeedRanksThatAreSpawned) {
  InputFlow flow({StdinTo::one, Rank(0)}, 1);
  EXPECT_EQ(flow.change(true), true);
  EXPECT_EQ(flow.send(kInputWindow).size(), 1U);
  EXPECT_EQ(flow.change(false), false) << "these have not started yet";
  flow.renew();
  EXPECT_FALSE(flow.change(false)) << "in another round all start again";
}

TEST(InputFlow, IsNotReadBetweenTwoRounds) {
  InputFlow flow({StdinTo::one, Rank(0)}, 1);
  EXPECT_EQ(flow.change(true), true);
  flow.renew();
  EXPECT_EQ(flow.change(false), false);
  EXPECT_EQ(flow.change(true), true);
}

TEST(InputFlow, DoesNotWaitForTheDead) {
  InputFlow flow({StdinTo::all, {}}, 2);
  EXPECT_EQ(flow.change(true), true);
  EXPECT_EQ(flow.send(kInputWindow).size(), 2U);
  EXPECT_EQ(flow.change(true), false);
  flow.taken(Rank(0), kInputWindow);
  flow.left(Rank(1));
  EXPECT_EQ(flow.change(true), true);
  EXPECT_EQ(flow.send(1), std::vector{Rank(0)});
  flow.left(Rank(0));
  EXPECT_EQ(flow.change(true), false) << "nobody takes it";
}

TEST(InputFlow, BelievesNobodyWhoTookMoreThanWasSent) {
  InputFlow flow({StdinTo::one, Rank(0)}, 1);
  flow.taken(Rank(0), 1U << 30);
  flow.taken(Rank(77), 1);
  EXPECT_EQ(flow.change(true), true);
  EXPECT_EQ(flow.send(kInputWindow).size(), 1U);
  EXPECT_EQ(flow.change(true), false);
}

}  // namespace
}  // namespace muster::machine::input_flow_test
