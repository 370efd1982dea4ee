// What kubectl's JSON tells of a run as a whole, and which of its pods stay.
#include "cluster/sight.hpp"

#include <gtest/gtest.h>

#include "cluster/removal.hpp"

namespace muster::cluster {
namespace {

// An object of the run "run": its role and number, and what follows its metadata.
std::string object_of(const std::string& kind, const std::string& name, const std::string& role,
                      const std::string& rest, const std::string& meta = "") {
  return R"({"kind": ")" + kind + R"(", "metadata": {"name": ")" + name +
         R"(", "labels": {"app.kubernetes.io/instance": "run", "app.kubernetes.io/component": ")" +
         role + "\"}" + meta + "}, " + rest + "}";
}

constexpr const char* kGoing = R"(, "deletionTimestamp": "x")";

std::string launcher(const std::string& status, const std::string& meta = "") {
  return object_of("Pod", "run-launcher-a", "launcher",
                   R"("spec": {"nodeName": "n1"}, "status": )" + status, meta);
}

std::string worker(const std::string& number, const std::string& status,
                   const std::string& meta = "") {
  return object_of("Pod", "run-worker-" + number, "worker",
                   R"("spec": {"nodeName": "n2"}, "status": )" + status, meta);
}

std::string event(const std::string& pod, const std::string& reason, const std::string& message) {
  return R"({"kind": "Event", "reason": ")" + reason + R"(", "message": ")" + message +
         R"(", "involvedObject": {"kind": "Pod", "name": ")" + pod + "\"}}";
}

Sight seen(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  const auto json = kubernetes::read_json(R"({"items": [)" + text + "]}");
  EXPECT_TRUE(json) << text;
  return json ? sight_of(*json, "run") : Sight();
}

const std::string kRunning = R"({"phase": "Running"})";
const std::string kOom = R"({"phase": "Failed", "containerStatuses": [{"name": "worker", "state":
    {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]})";

TEST(ClusterSight, ARunBeginsWhenNoPodWaits) {
  EXPECT_FALSE(seen({}).is_there);
  EXPECT_FALSE(seen({launcher(kRunning)}).has_begun);
  EXPECT_FALSE(seen({launcher(kRunning), worker("0", R"({"phase": "Pending"})")}).has_begun);
  const Sight sight = seen({launcher(kRunning), worker("0", kRunning)});
  EXPECT_TRUE(sight.has_begun);
  EXPECT_TRUE(sight.is_there);
  EXPECT_EQ(sight.launcher, "run-launcher-a");
  EXPECT_EQ(sight.node, "n1");
  EXPECT_FALSE(sight.end);
  EXPECT_FALSE(sight.is_lost);
}

TEST(ClusterSight, TimesAreThoseOfTheNodes) {
  const auto minute = [](int which) {
    using namespace std::chrono;
    return model::Utc(sys_days(year(2026) / 11 / 23) + hours(10) + minutes(which));
  };
  const auto runs = [](const std::string& since) {
    return R"({"phase": "Running", "containerStatuses": [{"state": {"running": {"startedAt": ")" +
           since + R"("}}}]})";
  };
  const std::string ended = R"({"phase": "Succeeded", "containerStatuses": [{"state":
      {"terminated": {"exitCode": 0, "startedAt": "2026-11-23T10:01:00Z",
                      "finishedAt": "2026-11-23T10:09:00Z"}}}]})";
  const Sight sight = seen({launcher(ended), worker("0", runs("2026-11-23T12:02:00+02:00"))});
  EXPECT_EQ(sight.began, minute(2));
  ASSERT_TRUE(sight.end);
  EXPECT_EQ(sight.end->time, minute(9));
  EXPECT_FALSE(seen({launcher(ended), worker("0", runs("x"))}).began);
}

TEST(ClusterSight, AJobWithoutPodsIsThere) {
  const std::string job = R"("spec": {}, "status": {)";
  const std::string failed = R"("conditions": [{"type": "Failed", "status": "True"}])";
  const Sight first = seen({object_of("Job", "run-launcher", "launcher", job + "}")});
  EXPECT_TRUE(first.is_there);
  EXPECT_FALSE(first.is_lost);
  EXPECT_TRUE(seen({object_of("Job", "run-launcher", "launcher", job + failed + "}")}).is_lost);
}

TEST(ClusterSight, TheEndOfTheLauncher) {
  const Sight ended = seen({launcher(R"({"phase": "Failed", "containerStatuses": [{"state":
      {"terminated": {"exitCode": 7, "reason": "Error", "message": "left"}}}]})")});
  ASSERT_TRUE(ended.end);
  EXPECT_EQ(ended.end->code, 7);
  EXPECT_EQ(ended.end->reason, "Error");
  EXPECT_EQ(ended.end->message, "left");
  const Sight evicted = seen({launcher(R"({"phase": "Failed", "reason": "Evicted"})")});
  ASSERT_TRUE(evicted.end);
  EXPECT_EQ(evicted.end->code, 137);
}

TEST(ClusterSight, ALauncherOnALostNodeTellsNothingMore) {
  const std::string marked = event("run-launcher-a", "TaintManagerEviction", "Marking it");
  EXPECT_FALSE(seen({launcher(kRunning, kGoing)}).is_lost);
  EXPECT_TRUE(seen({launcher(kRunning, kGoing), marked}).is_lost);
}

// A Job of an older server makes another pod when its first is deleted.
TEST(ClusterSight, ALauncherThatIsYoungerThanTheWorkersIsAnother) {
  const auto born = [](const std::string& second) {
    return R"(, "creationTimestamp": "2026-11-23T10:00:0)" + second + "Z\"";
  };
  const std::string first = launcher(kRunning, born("1"));
  const std::string workers = worker("0", kRunning, born("1"));
  EXPECT_FALSE(seen({first, workers}).is_lost);
  EXPECT_TRUE(seen({launcher(kRunning, born("2")), workers}).is_lost);
  EXPECT_TRUE(
      seen({launcher(kRunning, born("2")),
            object_of("Job", "run-worker", "worker", R"("spec": {}, "status": {})", born("1"))})
          .is_lost);
  const std::string second =
      object_of("Pod", "run-launcher-0", "launcher", R"("spec": {}, "status": {})", born("2"));
  EXPECT_EQ(seen({second, first, workers}).launcher, "run-launcher-a");
}

TEST(ClusterSight, WhatWaitsIsTold) {
  const Sight sight = seen({launcher(R"({"phase": "Pending", "conditions": [{"type":
      "PodScheduled", "status": "False", "message": "0/3 nodes are available."}]})"),
                            worker("0", kOom)});
  ASSERT_EQ(sight.waits.size(), 1U);
  EXPECT_EQ(sight.waits[0],
            "the launcher (pod run-launcher-a on n1) has no node: 0/3 nodes are available");
}

TEST(ClusterEndings, ThoseThatTheHeadNamedComeFirst) {
  const std::string deleted = "worker 1 (pod run-worker-1 on n2) was deleted";
  const std::string oom =
      "worker 0 (pod run-worker-0 on n2) was ended for want of memory on its node";
  const Sight both = seen({worker("0", kOom), worker("1", kRunning, kGoing)});
  using Lines = std::vector<std::string>;
  EXPECT_EQ(endings(both.state, ""), Lines{oom});
  EXPECT_EQ(endings(both.state, "lost the connection to run-worker-1"), (Lines{deleted, oom}));
  EXPECT_EQ(endings(seen({worker("1", kRunning, kGoing)}).state, ""), Lines{deleted});
  EXPECT_EQ(endings(seen({worker("1", kRunning)}).state, "run-worker-1"), Lines{});
}

TEST(ClusterEndings, AreThereOnceEachPodHasOne) {
  EXPECT_TRUE(is_settled(seen({}).state));
  EXPECT_FALSE(is_settled(seen({worker("0", kOom), worker("1", kRunning)}).state));
  EXPECT_TRUE(is_settled(seen({worker("0", kOom), worker("1", kRunning, kGoing)}).state));
}

TEST(ClusterRemoval, PodsThatStay) {
  using Lines = std::vector<std::string>;
  const Sight sight = seen({worker("0", kOom), worker("1", kRunning), worker("2", kRunning, kGoing),
                            worker("3", kRunning, kGoing),
                            event("run-worker-3", "TaintManagerEviction", "Marking it")});
  const Lines ended = {
      "worker 1 (pod run-worker-1 on n2) stays: it has not ended",
      "worker 2 (pod run-worker-2 on n2) stays: its node has not said that it has ended it",
      "worker 3 (pod run-worker-3 on n2) stays: its node does not answer"};
  EXPECT_EQ(staying(sight.state, Until::ended), ended);
  EXPECT_EQ(staying(sight.state, Until::gone).size(), 4U);
  EXPECT_EQ(staying(seen({worker("0", kOom, kGoing)}).state, Until::gone),
            Lines{"worker 0 (pod run-worker-0 on n2) stays: it has ended, and is still there"});
  EXPECT_EQ(staying(seen({}).state, Until::gone), Lines{});
}

TEST(ClusterRemoval, TheWaitIsToldWithItsTime) {
  const auto stays = staying(seen({worker("1", kRunning)}).state, Until::ended);
  ASSERT_EQ(stays.size(), 1U);
  using std::chrono::milliseconds;
  EXPECT_EQ(wait_words(stays.front(), milliseconds(8400)),
            "waiting for the cluster: worker 1 (pod run-worker-1 on n2) stays: it has not ended "
            "(8 s so far, at most 45 s)");
  EXPECT_EQ(wait_words("x", milliseconds(8600)),
            "waiting for the cluster: x (9 s so far, at most 45 s)");
}

}  // namespace
}  // namespace muster::cluster
