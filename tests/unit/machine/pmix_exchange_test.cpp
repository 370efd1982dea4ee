// What the head says to servers: fences, modex, names, events, lost nodes.
#include "machine/pmix_exchange.hpp"

#include <gtest/gtest.h>

namespace muster::machine {
namespace {

using Out = PmixOrders;

class PmixServers : public ::testing::Test {
 protected:
  PmixServers() : exchange(3) {
    pmix::Job job;
    job.nspace = "job";
    job.nodes = {{"a", {0, 1}}, {"b", {2, 3}}, {"c", {4}}};
    exchange.add(job);
  }
  static pmix::Fence fence(pmix::Ticket ticket, std::vector<pmix::Proc> procs,
                           std::string blob = "") {
    return {ticket, std::move(procs), std::move(blob)};
  }
  static pmix::Publish publish(pmix::Ticket ticket, const std::string& key, bool once = false) {
    return {ticket, {{{"job", 0}, key, "value of " + key}}, once};
  }

  const std::vector<pmix::Proc> all{{"job", pmix::kAllRanks}};
  PmixExchange exchange;
};

TEST_F(PmixServers, FenceEndsWhenAllNodesHaveCome) {
  EXPECT_EQ(exchange.take(2, fence(21, all, "c")), Out{});
  EXPECT_EQ(exchange.take(0, fence(1, all, "a")), Out{});
  EXPECT_EQ(exchange.take(1, fence(11, all, "b")), (Out{{0, pmix::Reply{1, 0, "abc"}},
                                                        {1, pmix::Reply{11, 0, "abc"}},
                                                        {2, pmix::Reply{21, 0, "abc"}}}));
}

TEST_F(PmixServers, FencesOfDifferentGroupsDoNotMix) {
  EXPECT_EQ(exchange.take(0, fence(1, {{"job", 0}, {"job", 2}}, "a")), Out{});
  EXPECT_EQ(exchange.take(0, fence(2, {{"job", 1}, {"job", 3}}, "x")), Out{});
  // The order of participants makes no difference.
  EXPECT_EQ(exchange.take(1, fence(3, {{"job", 3}, {"job", 1}}, "y")),
            (Out{{0, pmix::Reply{2, 0, "xy"}}, {1, pmix::Reply{3, 0, "xy"}}}));
  EXPECT_EQ(exchange.take(1, fence(4, {{"job", 2}, {"job", 0}}, "b")),
            (Out{{0, pmix::Reply{1, 0, "ab"}}, {1, pmix::Reply{4, 0, "ab"}}}));
}

TEST_F(PmixServers, OneNodeMayBeAFenceAhead) {
  const std::vector<pmix::Proc> two{{"job", 0}, {"job", 2}};
  EXPECT_EQ(exchange.take(0, fence(1, two, "a")), Out{});
  EXPECT_EQ(exchange.take(0, fence(2, two, "A")), Out{});
  EXPECT_EQ(exchange.take(1, fence(3, two, "b")),
            (Out{{0, pmix::Reply{1, 0, "ab"}}, {1, pmix::Reply{3, 0, "ab"}}}));
  EXPECT_EQ(exchange.take(1, fence(4, two, "B")),
            (Out{{0, pmix::Reply{2, 0, "AB"}}, {1, pmix::Reply{4, 0, "AB"}}}));
}

TEST_F(PmixServers, StrangersAreNotWaitedFor) {
  EXPECT_EQ(exchange.take(0, fence(1, {{"other", 0}})),
            (Out{{0, pmix::Reply{1, pmix::kNotFound, ""}}}));
  EXPECT_EQ(exchange.take(0, fence(2, {{"job", 99}})),
            (Out{{0, pmix::Reply{2, pmix::kNotFound, ""}}}));
  // A node that has no part in it.
  EXPECT_EQ(exchange.take(2, fence(3, {{"job", 0}})),
            (Out{{2, pmix::Reply{3, pmix::kNotFound, ""}}}));
}

TEST_F(PmixServers, ConnectAndDisconnectSpanJobs) {
  pmix::Job child;
  child.nspace = "child";
  child.nodes = {{"a", {}}, {"b", {}}, {"c", {0}}};
  exchange.add(child);
  const std::vector<pmix::Proc> both{{"job", 0}, {"child", pmix::kAllRanks}};
  EXPECT_EQ(exchange.take(0, pmix::Connect{1, both, false}), Out{});
  EXPECT_EQ(exchange.take(0, pmix::Connect{2, both, true}), Out{});
  EXPECT_EQ(exchange.take(2, pmix::Connect{3, both, false}),
            (Out{{0, pmix::Reply{1, 0, ""}}, {2, pmix::Reply{3, 0, ""}}}));
  EXPECT_EQ(exchange.take(2, pmix::Connect{4, both, true}),
            (Out{{0, pmix::Reply{2, 0, ""}}, {2, pmix::Reply{4, 0, ""}}}));
}

TEST_F(PmixServers, ModexIsAskedOfTheNodeThatHasIt) {
  const Out asked = exchange.take(0, pmix::Modex{7, {"job", 3}});
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].node, 1u);
  const auto& fetch = std::get<pmix::FetchModex>(asked[0].command);
  EXPECT_EQ(fetch.proc, (pmix::Proc{"job", 3}));
  // Nobody else may answer, and nobody twice.
  EXPECT_EQ(exchange.take(2, pmix::ModexFound{fetch.ticket, 0, "false"}), Out{});
  EXPECT_EQ(exchange.take(1, pmix::ModexFound{fetch.ticket, 0, "data"}),
            (Out{{0, pmix::Reply{7, 0, "data"}}}));
  EXPECT_EQ(exchange.take(1, pmix::ModexFound{fetch.ticket, 0, "data"}), Out{});
  EXPECT_EQ(exchange.take(0, pmix::Modex{8, {"job", 99}}),
            (Out{{0, pmix::Reply{8, pmix::kNotFound, ""}}}));
}

TEST_F(PmixServers, NamesAreFoundAndTakenBack) {
  const pmix::Datum datum{{"job", 0}, "svc", "value of svc"};
  EXPECT_EQ(exchange.take(1, pmix::Lookup{1, {"svc"}, false}),
            (Out{{1, pmix::Found{1, pmix::kNotFound, {}}}}));
  EXPECT_EQ(exchange.take(0, publish(2, "svc")), (Out{{0, pmix::Reply{2, 0, ""}}}));
  EXPECT_EQ(exchange.take(0, publish(3, "svc")),
            (Out{{0, pmix::Reply{3, pmix::kDuplicateKey, ""}}}));
  EXPECT_EQ(exchange.take(1, pmix::Lookup{4, {"svc"}, false}),
            (Out{{1, pmix::Found{4, 0, {datum}}}}));
  EXPECT_EQ(exchange.take(1, pmix::Lookup{5, {"svc", "no"}, false}),
            (Out{{1, pmix::Found{5, pmix::kPartial, {datum}}}}));
  EXPECT_EQ(exchange.take(0, pmix::Unpublish{6, {"job", 0}, {"svc"}}),
            (Out{{0, pmix::Reply{6, 0, ""}}}));
  EXPECT_EQ(exchange.take(0, pmix::Unpublish{7, {"job", 0}, {"svc"}}),
            (Out{{0, pmix::Reply{7, pmix::kNotFound, ""}}}));
}

TEST_F(PmixServers, WithoutKeysAllOfOneProcessAreTakenBack) {
  (void)exchange.take(0, publish(1, "a"));
  (void)exchange.take(0, pmix::Publish{2, {{{"job", 1}, "b", "v"}}, false});
  EXPECT_EQ(exchange.take(0, pmix::Unpublish{3, {"job", 0}, {}}),
            (Out{{0, pmix::Reply{3, 0, ""}}}));
  EXPECT_EQ(exchange.take(0, pmix::Lookup{4, {"a"}, false}),
            (Out{{0, pmix::Found{4, pmix::kNotFound, {}}}}));
  EXPECT_EQ(exchange.take(0, pmix::Lookup{5, {"b"}, false}),
            (Out{{0, pmix::Found{5, 0, {{{"job", 1}, "b", "v"}}}}}));
}

TEST_F(PmixServers, WhoWaitsForANameIsToldOnce) {
  EXPECT_EQ(exchange.take(1, pmix::Lookup{1, {"svc"}, true}), Out{});
  EXPECT_EQ(exchange.take(2, pmix::Lookup{2, {"svc"}, true}), Out{});
  // It goes with the first reader; the second waits on.
  EXPECT_EQ(exchange.take(0, publish(3, "svc", true)),
            (Out{{0, pmix::Reply{3, 0, ""}},
                 {1, pmix::Found{1, 0, {{{"job", 0}, "svc", "value of svc"}}}}}));
  EXPECT_EQ(exchange.take(0, publish(4, "svc", true)),
            (Out{{0, pmix::Reply{4, 0, ""}},
                 {2, pmix::Found{2, 0, {{{"job", 0}, "svc", "value of svc"}}}}}));
}

TEST_F(PmixServers, WhatIsKeptForRanksHasABound) {
  const std::string quarter(kPublishedMax / 4, 'x');
  const auto large = [&](pmix::Ticket ticket, const std::string& key) {
    return pmix::Publish{ticket, {{{"job", 0}, key, quarter}}, false};
  };
  for (pmix::Ticket i = 0; i < 3; ++i) {
    EXPECT_EQ(exchange.take(0, large(i, std::to_string(i))), (Out{{0, pmix::Reply{i, 0, ""}}}));
  }
  EXPECT_EQ(exchange.take(0, large(4, "4")), (Out{{0, pmix::Reply{4, pmix::kOutOfResource, ""}}}));
  EXPECT_EQ(exchange.take(0, publish(5, "small")), (Out{{0, pmix::Reply{5, 0, ""}}}));
  EXPECT_EQ(exchange.take(0, pmix::Unpublish{6, {"job", 0}, {}}),
            (Out{{0, pmix::Reply{6, 0, ""}}}));
  exchange.check();
  EXPECT_EQ(exchange.take(0, large(7, "4")), (Out{{0, pmix::Reply{7, 0, ""}}}));
  // Look-ups that wait.
  const std::string half(kPublishedMax / 2, 'y');
  EXPECT_EQ(exchange.take(1, pmix::Lookup{8, {half}, true}), Out{});
  EXPECT_EQ(exchange.take(1, pmix::Lookup{9, {half}, true}),
            (Out{{1, pmix::Found{9, pmix::kOutOfResource, {}}}}));
  EXPECT_EQ(exchange.take(0, publish(10, half)).size(), 1u) << "published twice, it has no room";
  exchange.forget(1);
  exchange.check();
  EXPECT_EQ(exchange.take(2, pmix::Lookup{11, {half}, true}), Out{});
}

TEST_F(PmixServers, EventsReachAllOtherNodes) {
  const pmix::Event event{-1, {"job", 0}, 5, "x"};
  EXPECT_EQ(exchange.take(1, event), (Out{{0, event}, {2, event}}));
}

TEST_F(PmixServers, WhoHasEndedIsAnsweredNoMore) {
  EXPECT_EQ(exchange.take(0, fence(1, all, "a")), Out{});
  EXPECT_EQ(exchange.take(0, pmix::Lookup{2, {"svc"}, true}), Out{});
  const Out asked = exchange.take(0, pmix::Modex{3, {"job", 3}});
  ASSERT_EQ(asked.size(), 1u);
  exchange.forget(0);
  const auto ticket = std::get<pmix::FetchModex>(asked[0].command).ticket;
  EXPECT_EQ(exchange.take(1, pmix::ModexFound{ticket, 0, "data"}), Out{});
  EXPECT_EQ(exchange.take(1, publish(4, "svc")), (Out{{1, pmix::Reply{4, 0, ""}}}));
  // What it has brought to others counts.
  EXPECT_EQ(exchange.take(1, fence(5, all, "b")), Out{});
  EXPECT_EQ(exchange.take(2, fence(6, all, "c")),
            (Out{{1, pmix::Reply{5, 0, "abc"}}, {2, pmix::Reply{6, 0, "abc"}}}));
}

TEST_F(PmixServers, ALostNodeEndsTheWaitingForIt) {
  EXPECT_EQ(exchange.take(0, fence(1, all, "a")), Out{});
  EXPECT_EQ(exchange.take(0, fence(2, {{"job", 0}, {"job", 2}}, "a")), Out{});
  EXPECT_EQ(exchange.take(0, pmix::Modex{3, {"job", 4}}).size(), 1u);
  EXPECT_EQ(exchange.lost(2), (Out{{0, pmix::Reply{1, pmix::kUnreachable, ""}},
                                   {0, pmix::Reply{3, pmix::kUnreachable, ""}}}));
  EXPECT_EQ(exchange.take(1, fence(4, all, "b")),
            (Out{{1, pmix::Reply{4, pmix::kUnreachable, ""}}}));
  EXPECT_EQ(exchange.take(0, pmix::Modex{5, {"job", 4}}),
            (Out{{0, pmix::Reply{5, pmix::kUnreachable, ""}}}));
  // Those that do not need it go on.
  EXPECT_EQ(exchange.take(1, fence(6, {{"job", 2}, {"job", 0}}, "b")).size(), 2u);
}

}  // namespace
}  // namespace muster::machine
