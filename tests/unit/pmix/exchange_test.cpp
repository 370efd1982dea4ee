// What the head says to servers: fences, modex, names, events, lost nodes.
#include "pmix/exchange.hpp"

#include <gtest/gtest.h>

namespace muster::pmix {
namespace {

using Out = std::vector<ToNode>;

class ExchangeTest : public ::testing::Test {
 protected:
  ExchangeTest() : exchange(3) {
    Job job;
    job.nspace = "job";
    job.ranks = {{0, 1}, {2, 3}, {4}};
    exchange.add(job);
  }
  static Fence fence(Ticket ticket, std::vector<Proc> procs, std::string blob = "") {
    return {ticket, std::move(procs), std::move(blob)};
  }
  static Publish publish(Ticket ticket, const std::string& key, bool once = false) {
    return {ticket, {{{"job", 0}, key, "value of " + key}}, once};
  }

  const std::vector<Proc> all{{"job", kAllRanks}};
  Exchange exchange;
};

TEST_F(ExchangeTest, FenceEndsWhenAllNodesHaveCome) {
  EXPECT_EQ(exchange.take(2, fence(21, all, "c")), Out{});
  EXPECT_EQ(exchange.take(0, fence(1, all, "a")), Out{});
  EXPECT_EQ(exchange.awaited(), std::vector<std::uint32_t>{1});
  EXPECT_EQ(exchange.take(1, fence(11, all, "b")),
            (Out{{0, Reply{1, 0, "abc"}}, {1, Reply{11, 0, "abc"}}, {2, Reply{21, 0, "abc"}}}));
  EXPECT_TRUE(exchange.awaited().empty());
}

TEST_F(ExchangeTest, FencesOfDifferentGroupsDoNotMix) {
  EXPECT_EQ(exchange.take(0, fence(1, {{"job", 0}, {"job", 2}}, "a")), Out{});
  EXPECT_EQ(exchange.take(0, fence(2, {{"job", 1}, {"job", 3}}, "x")), Out{});
  // The order of participants makes no difference.
  EXPECT_EQ(exchange.take(1, fence(3, {{"job", 3}, {"job", 1}}, "y")),
            (Out{{0, Reply{2, 0, "xy"}}, {1, Reply{3, 0, "xy"}}}));
  EXPECT_EQ(exchange.take(1, fence(4, {{"job", 2}, {"job", 0}}, "b")),
            (Out{{0, Reply{1, 0, "ab"}}, {1, Reply{4, 0, "ab"}}}));
}

TEST_F(ExchangeTest, OneNodeMayBeAFenceAhead) {
  const std::vector<Proc> two{{"job", 0}, {"job", 2}};
  EXPECT_EQ(exchange.take(0, fence(1, two, "a")), Out{});
  EXPECT_EQ(exchange.take(0, fence(2, two, "A")), Out{});
  EXPECT_EQ(exchange.take(1, fence(3, two, "b")),
            (Out{{0, Reply{1, 0, "ab"}}, {1, Reply{3, 0, "ab"}}}));
  EXPECT_EQ(exchange.take(1, fence(4, two, "B")),
            (Out{{0, Reply{2, 0, "AB"}}, {1, Reply{4, 0, "AB"}}}));
}

TEST_F(ExchangeTest, StrangersAreNotWaitedFor) {
  EXPECT_EQ(exchange.take(0, fence(1, {{"other", 0}})), (Out{{0, Reply{1, kNotFound, ""}}}));
  EXPECT_EQ(exchange.take(0, fence(2, {{"job", 99}})), (Out{{0, Reply{2, kNotFound, ""}}}));
  // A node that has no part in it.
  EXPECT_EQ(exchange.take(2, fence(3, {{"job", 0}})), (Out{{2, Reply{3, kNotFound, ""}}}));
}

TEST_F(ExchangeTest, ConnectAndDisconnectSpanJobs) {
  Job child;
  child.nspace = "child";
  child.ranks = {{}, {}, {0}};
  exchange.add(child);
  const std::vector<Proc> both{{"job", 0}, {"child", kAllRanks}};
  EXPECT_EQ(exchange.take(0, Connect{1, both, false}), Out{});
  EXPECT_EQ(exchange.take(0, Connect{2, both, true}), Out{});
  EXPECT_EQ(exchange.take(2, Connect{3, both, false}),
            (Out{{0, Reply{1, 0, ""}}, {2, Reply{3, 0, ""}}}));
  EXPECT_EQ(exchange.take(2, Connect{4, both, true}),
            (Out{{0, Reply{2, 0, ""}}, {2, Reply{4, 0, ""}}}));
}

TEST_F(ExchangeTest, ModexIsAskedOfTheNodeThatHasIt) {
  const Out asked = exchange.take(0, Modex{7, {"job", 3}});
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].node, 1u);
  const auto& fetch = std::get<FetchModex>(asked[0].command);
  EXPECT_EQ(fetch.proc, (Proc{"job", 3}));
  // Nobody else may answer, and nobody twice.
  EXPECT_EQ(exchange.take(2, ModexFound{fetch.ticket, 0, "false"}), Out{});
  EXPECT_EQ(exchange.take(1, ModexFound{fetch.ticket, 0, "data"}), (Out{{0, Reply{7, 0, "data"}}}));
  EXPECT_EQ(exchange.take(1, ModexFound{fetch.ticket, 0, "data"}), Out{});
  EXPECT_EQ(exchange.take(0, Modex{8, {"job", 99}}), (Out{{0, Reply{8, kNotFound, ""}}}));
}

TEST_F(ExchangeTest, NamesAreFoundAndTakenBack) {
  const Datum datum{{"job", 0}, "svc", "value of svc"};
  EXPECT_EQ(exchange.take(1, Lookup{1, {"svc"}, false}), (Out{{1, Found{1, kNotFound, {}}}}));
  EXPECT_EQ(exchange.take(0, publish(2, "svc")), (Out{{0, Reply{2, 0, ""}}}));
  EXPECT_EQ(exchange.take(0, publish(3, "svc")), (Out{{0, Reply{3, kDuplicateKey, ""}}}));
  EXPECT_EQ(exchange.take(1, Lookup{4, {"svc"}, false}), (Out{{1, Found{4, 0, {datum}}}}));
  EXPECT_EQ(exchange.take(1, Lookup{5, {"svc", "no"}, false}),
            (Out{{1, Found{5, kPartial, {datum}}}}));
  EXPECT_EQ(exchange.take(0, Unpublish{6, {"job", 0}, {"svc"}}), (Out{{0, Reply{6, 0, ""}}}));
  EXPECT_EQ(exchange.take(0, Unpublish{7, {"job", 0}, {"svc"}}),
            (Out{{0, Reply{7, kNotFound, ""}}}));
}

TEST_F(ExchangeTest, WithoutKeysAllOfOneProcessAreTakenBack) {
  (void)exchange.take(0, publish(1, "a"));
  (void)exchange.take(0, Publish{2, {{{"job", 1}, "b", "v"}}, false});
  EXPECT_EQ(exchange.take(0, Unpublish{3, {"job", 0}, {}}), (Out{{0, Reply{3, 0, ""}}}));
  EXPECT_EQ(exchange.take(0, Lookup{4, {"a"}, false}), (Out{{0, Found{4, kNotFound, {}}}}));
  EXPECT_EQ(exchange.take(0, Lookup{5, {"b"}, false}),
            (Out{{0, Found{5, 0, {{{"job", 1}, "b", "v"}}}}}));
}

TEST_F(ExchangeTest, WhoWaitsForANameIsToldOnce) {
  EXPECT_EQ(exchange.take(1, Lookup{1, {"svc"}, true}), Out{});
  EXPECT_EQ(exchange.take(2, Lookup{2, {"svc"}, true}), Out{});
  // It goes with the first reader; the second waits on.
  EXPECT_EQ(exchange.take(0, publish(3, "svc", true)),
            (Out{{0, Reply{3, 0, ""}}, {1, Found{1, 0, {{{"job", 0}, "svc", "value of svc"}}}}}));
  EXPECT_EQ(exchange.take(0, publish(4, "svc", true)),
            (Out{{0, Reply{4, 0, ""}}, {2, Found{2, 0, {{{"job", 0}, "svc", "value of svc"}}}}}));
}

TEST_F(ExchangeTest, EventsReachAllOtherNodes) {
  const Event event{-1, {"job", 0}, 5, "x"};
  EXPECT_EQ(exchange.take(1, event), (Out{{0, event}, {2, event}}));
}

TEST_F(ExchangeTest, ALostNodeEndsTheWaitingForIt) {
  EXPECT_EQ(exchange.take(0, fence(1, all, "a")), Out{});
  EXPECT_EQ(exchange.take(0, fence(2, {{"job", 0}, {"job", 2}}, "a")), Out{});
  EXPECT_EQ(exchange.take(0, Modex{3, {"job", 4}}).size(), 1u);
  EXPECT_EQ(exchange.lost(2),
            (Out{{0, Reply{1, kUnreachable, ""}}, {0, Reply{3, kUnreachable, ""}}}));
  EXPECT_EQ(exchange.take(1, fence(4, all, "b")), (Out{{1, Reply{4, kUnreachable, ""}}}));
  EXPECT_EQ(exchange.take(0, Modex{5, {"job", 4}}), (Out{{0, Reply{5, kUnreachable, ""}}}));
  // Those that do not need it go on.
  EXPECT_EQ(exchange.take(1, fence(6, {{"job", 2}, {"job", 0}}, "b")).size(), 2u);
}

}  // namespace
}  // namespace muster::pmix
