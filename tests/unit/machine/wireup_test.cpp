// Wireup: fences belong to the world that they name, and who waits is told in time.
#include "machine/wireup.hpp"

#include <concepts>
#include <gtest/gtest.h>

namespace muster::machine::wireup_test {
namespace {

using base::Instant;
using base::NodeIndex;
using base::Rank;

static_assert(std::equality_comparable<Wireup> && std::copyable<Wireup>);

constexpr Instant kStart{std::chrono::seconds(100)};

// Ranks 0 to 3 on nodes 0 and 1; ranks 4 and 5 on nodes 1 and 2.
Wireup two_worlds() {
  Wireup wireup;
  wireup.add({{1, Rank(0), 4}, "one", "", 0, {NodeIndex(0), NodeIndex(1)}});
  wireup.add({{2, Rank(4), 2}, "two", "", 0, {NodeIndex(1), NodeIndex(2)}});
  return wireup;
}

TEST(Wireup, JoinsTheFenceOfEachWorldForItsOwnNodes) {
  Wireup wireup = two_worlds();
  EXPECT_FALSE(wireup.take(NodeIndex(1), {0, "b", 1}));
  EXPECT_FALSE(wireup.take(NodeIndex(1), {0, "x", 2}));
  EXPECT_EQ(wireup.status().open_fences, 2U);
  const auto second = wireup.take(NodeIndex(2), {0, "y", 2});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->nodes, (std::vector{NodeIndex(1), NodeIndex(2)}));
  EXPECT_EQ(second->message, (wire::FenceOut{0, "xy", 2}));
  const auto first = wireup.take(NodeIndex(0), {0, "a", 1});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->message.blob, "ab");
  EXPECT_EQ(wireup.status().open_fences, 0U);
}

// Another world's ranks may run there again: they have not asked.
TEST(Wireup, AnswersNoNodeWhoseRanksHaveEnded) {
  Wireup wireup = two_worlds();
  EXPECT_FALSE(wireup.take(NodeIndex(1), {0, "b", 1}));
  wireup.ended(NodeIndex(1));
  wireup.add({{3, Rank(6), 2}, "three", "", 0, {NodeIndex(0), NodeIndex(1)}});
  const auto first = wireup.take(NodeIndex(0), {0, "a", 1});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->nodes, std::vector{NodeIndex(0)});
  EXPECT_EQ(first->message.blob, "ab");
  EXPECT_FALSE(wireup.take(NodeIndex(0), {0, "x", 3}));
  const auto third = wireup.take(NodeIndex(1), {0, "y", 3});
  ASSERT_TRUE(third);
  EXPECT_EQ(third->nodes, (std::vector{NodeIndex(0), NodeIndex(1)}));
}

TEST(Wireup, IgnoresStrangersToAWorld) {
  Wireup wireup = two_worlds();
  const Wireup before = wireup;
  EXPECT_FALSE(wireup.take(NodeIndex(2), {0, "z", 1}));
  EXPECT_FALSE(wireup.take(NodeIndex(1), {0, "z", 0}));
  EXPECT_FALSE(wireup.take(NodeIndex(1), {0, "z", 3}));
  EXPECT_EQ(wireup, before);
}

TEST(Wireup, KnowsTheWorldOfEachRank) {
  const Wireup wireup = two_worlds();
  EXPECT_EQ(wireup.world_of(Rank(3)).name, "one");
  EXPECT_EQ(wireup.world_of(Rank(4)).name, "two");
  EXPECT_EQ(wireup.world(2).world.size, 2U);
}

TEST(Wireup, AsksWhoHasComeThenNamesTheAbsentAgainAndAgain) {
  Wireup wireup = two_worlds();
  EXPECT_FALSE(wireup.next_look());
  wireup.came(Rank(5), kStart);
  EXPECT_EQ(wireup.status().absent, std::vector{Rank(4)});
  EXPECT_EQ(wireup.look(kStart + kAskRoll - base::Duration(1)), Wireup::Look::nothing);
  EXPECT_EQ(wireup.look(kStart + kAskRoll), Wireup::Look::ask_who_came);
  const Instant told = kStart + kAskRoll + kTellRoll;
  EXPECT_EQ(wireup.next_look(), told);
  EXPECT_EQ(wireup.look(told), Wireup::Look::name_absent);
  EXPECT_EQ(wireup.look(told + kNextRoll), Wireup::Look::ask_who_came);
  wireup.came(Rank(4), told);
  EXPECT_FALSE(wireup.next_look());
}

TEST(Wireup, KnowsWhoHasToldHorovodsStore) {
  Wireup wireup = two_worlds();
  wireup.told_store(Rank(2), kStart);
  EXPECT_EQ(wireup.status().absent, (std::vector{Rank(0), Rank(1), Rank(3)}));
  EXPECT_EQ(wireup.status().joining, model::Joining::horovod);
  EXPECT_EQ(wireup.next_look(), kStart + kAskRoll);
  wireup.left(Rank(3), false);
  EXPECT_FALSE(wireup.deserter()) << "Horovod itself gives up after a while";
  EXPECT_EQ(wireup.status().absent.size(), 3U) << "it never came";
  wireup.left(Rank(1), true);
  EXPECT_EQ(wireup.status().absent, (std::vector{Rank(0), Rank(3)})) << "1 has failed";
}

// As with mpi4py beside Horovod: each is a place of its own.
TEST(Wireup, NamesThoseWhoHaveKeptOthersWaitingForLongest) {
  Wireup wireup = two_worlds();
  for (const std::uint32_t rank : {1u, 2u, 3u}) wireup.told_store(Rank(rank), kStart);
  for (const std::uint32_t rank : {0u, 1u, 2u}) {
    wireup.came(Rank(rank), kStart - base::Duration(1));
  }
  EXPECT_EQ(wireup.status().absent, std::vector{Rank(3)});
  EXPECT_EQ(wireup.status().joining, model::Joining::mpi);
  wireup.came(Rank(3), kStart);
  EXPECT_EQ(wireup.status().absent, std::vector{Rank(0)});
  EXPECT_EQ(wireup.status().joining, model::Joining::horovod);
}

// What was asked, or said, of one wait holds for no other.
TEST(Wireup, LooksAtEachWaitAnew) {
  using Look = Wireup::Look;
  Wireup wireup = two_worlds();
  wireup.told_store(Rank(0), kStart);
  EXPECT_EQ(wireup.look(kStart + kAskRoll), Look::nothing) << "the head knows by itself";
  const Instant later = kStart + kAskRoll + base::Duration(1);
  wireup.came(Rank(0), later);
  for (const std::uint32_t rank : {1u, 2u, 3u}) wireup.told_store(Rank(rank), later);
  EXPECT_EQ(wireup.look(later + kAskRoll), Look::ask_who_came);
  EXPECT_EQ(wireup.look(later + kAskRoll + kTellRoll), Look::name_absent);
  for (const std::uint32_t rank : {1u, 2u, 3u}) wireup.came(Rank(rank), later);
  EXPECT_FALSE(wireup.next_look());
  wireup.came(Rank(4), later);
  EXPECT_EQ(wireup.next_look(), later + kAskRoll) << "another world's first wait";
}

TEST(Wireup, NamesNobodyOnceTheStoreIsInDoubt) {
  Wireup wireup = two_worlds();
  wireup.told_store(Rank(0), kStart);
  wireup.left(Rank(1), false);
  wireup.doubt_store();
  wireup.told_store(Rank(2), kStart);
  wireup.left(Rank(3), false);
  EXPECT_EQ(wireup.status(), WireupStatus{});
  EXPECT_FALSE(wireup.deserter());
  wireup.came(Rank(0), kStart);
  EXPECT_EQ(wireup.status().absent, std::vector{Rank(2)}) << "MPI_Init is another place";
}

TEST(Wireup, NamesHaveABound) {
  Wireup wireup = two_worlds();
  const std::string third(kNamesMax / 3, 'p');
  const auto asked = [&](wire::NameVerb verb, const std::string& service) {
    return wireup.take({1, verb, service, verb == wire::NameVerb::publish ? third : ""}).verdict;
  };
  EXPECT_EQ(asked(wire::NameVerb::publish, "a"), wire::NameVerdict::done);
  EXPECT_EQ(asked(wire::NameVerb::publish, "b"), wire::NameVerdict::done);
  EXPECT_EQ(asked(wire::NameVerb::publish, "c"), wire::NameVerdict::not_found);
  EXPECT_EQ(asked(wire::NameVerb::publish, "b"), wire::NameVerdict::not_found);
  EXPECT_EQ(asked(wire::NameVerb::unpublish, "b"), wire::NameVerdict::done);
  wireup.check();
  EXPECT_EQ(asked(wire::NameVerb::publish, "c"), wire::NameVerdict::done);
  EXPECT_EQ(asked(wire::NameVerb::unpublish, "c"), wire::NameVerdict::done);
  EXPECT_EQ(asked(wire::NameVerb::unpublish, "a"), wire::NameVerdict::done);
  wireup.check();
}

TEST(Wireup, OfANewRoundHasTheFirstWorldAlone) {
  Wireup wireup = two_worlds();
  Wireup fresh;
  fresh.add(wireup.world(1));
  wireup.came(Rank(0), kStart);
  wireup.told_store(Rank(1), kStart);
  wireup.doubt_store();
  EXPECT_EQ(wireup.take({1, wire::NameVerb::publish, "s", "p"}).verdict, wire::NameVerdict::done);
  EXPECT_FALSE(wireup.take(NodeIndex(0), {0, "a", 1}));
  wireup.renew();
  EXPECT_EQ(wireup, fresh);
}

}  // namespace
}  // namespace muster::machine::wireup_test
