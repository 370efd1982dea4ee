// Quantities, what objects ask for in all, and what quotas have no room for.
#include "kubernetes/quota.hpp"

#include <gtest/gtest.h>
#include <limits>

#include "kubernetes/state.hpp"

namespace muster::kubernetes {
namespace {

constexpr std::int64_t kGi = std::int64_t{1} << 30;

TEST(Quantities, AreReadInThousandths) {
  EXPECT_EQ(parse_quantity("500m"), 500);
  EXPECT_EQ(parse_quantity("2"), 2000);
  EXPECT_EQ(parse_quantity("0.1"), 100);
  EXPECT_EQ(parse_quantity(".5"), 500);
  EXPECT_EQ(parse_quantity("1."), 1000);
  EXPECT_EQ(parse_quantity("+1"), 1000);
  EXPECT_EQ(parse_quantity("1e3"), 1'000'000);
  EXPECT_EQ(parse_quantity("1E3"), 1'000'000);
  EXPECT_EQ(parse_quantity("5e-1"), 500);
  EXPECT_EQ(parse_quantity("2e+1"), 20'000);
  EXPECT_EQ(parse_quantity("100k"), 100'000'000);
  EXPECT_EQ(parse_quantity("2Gi"), 2 * kGi * 1000);
  EXPECT_EQ(parse_quantity("1.5Gi"), 3 * kGi * 500);
  EXPECT_EQ(parse_quantity("1M"), 1'000'000'000);
  EXPECT_EQ(parse_quantity("0"), 0);
}

TEST(Quantities, OfLessThanAThousandthAreRoundedUp) {
  EXPECT_EQ(parse_quantity("1n"), 1);
  EXPECT_EQ(parse_quantity("1001u"), 2);
  EXPECT_EQ(parse_quantity("0.0001"), 1);
}

TEST(Quantities, BeyondAllAmountsAreTheLargest) {
  EXPECT_EQ(parse_quantity("1E"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_quantity("9Ei"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_quantity("1e999"), std::numeric_limits<std::int64_t>::max());
}

TEST(Quantities, ThatAreNone) {
  for (const char* text : {"", "m", ".", "-1", "1.2.3", "1x", "1ki", "1 Gi", "e3", "1e", "Gi"}) {
    EXPECT_EQ(parse_quantity(text), std::nullopt) << text;
  }
}

TEST(Quantities, AreWrittenForPeople) {
  EXPECT_EQ(quantity_text(500, false), "500m");
  EXPECT_EQ(quantity_text(2000, false), "2");
  EXPECT_EQ(quantity_text(1024 * 1000, false), "1024");
  EXPECT_EQ(quantity_text(2 * kGi * 1000, true), "2Gi");
  EXPECT_EQ(quantity_text(3 * kGi * 500, true), "1536Mi");
  EXPECT_EQ(quantity_text(1000, true), "1");
  EXPECT_EQ(quantity_text(0, true), "0");
}

Value value_of_json(const char* text) { return *read_json(text); }

TEST(Needs, CountObjectsAndThePodsOfJobs) {
  const Value secret = value_of_json(R"({"apiVersion": "v1", "kind": "Secret"})");
  const Value job = value_of_json(R"({"apiVersion": "batch/v1", "kind": "Job", "spec": {
    "parallelism": 3, "template": {"spec": {
      "initContainers": [{"resources": {"limits": {"cpu": "4"}}}],
      "containers": [
        {"resources": {"requests": {"cpu": "500m"}, "limits": {"memory": "1Gi"}}},
        {"resources": {"limits": {"cpu": "1", "nvidia.com/gpu": "2"}}}]}}}})");
  const Value pod = value_of_json(R"({"apiVersion": "v1", "kind": "Pod", "spec": {
    "containers": [{"resources": {"limits": {"cpu": 2}}}]}})");
  const Amounts needs = needs_of({secret, job, pod});
  const Amounts wanted = {{"secrets", 1000},
                          {"count/secrets", 1000},
                          {"count/jobs.batch", 1000},
                          {"pods", 4000},
                          {"count/pods", 4000},
                          {"cpu", 14'000},
                          {"requests.cpu", 14'000},
                          {"limits.cpu", 14'000},
                          {"memory", 3 * kGi * 1000},
                          {"requests.memory", 3 * kGi * 1000},
                          {"limits.memory", 3 * kGi * 1000},
                          {"requests.nvidia.com/gpu", 6000},
                          {"limits.nvidia.com/gpu", 6000}};
  EXPECT_EQ(needs, wanted);
}

TEST(Needs, OfAnOperatorsJobAreThoseOfItsRoles) {
  const Value job = value_of_json(R"({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob",
    "spec": {"pytorchReplicaSpecs": {
      "Master": {"replicas": 1, "template": {"spec": {"containers": [{}]}}},
      "Worker": {"replicas": 4, "template": {"spec": {"containers": [
        {"resources": {"requests": {"cpu": "1"}}}]}}}}}})");
  const Amounts needs = needs_of({job});
  EXPECT_EQ(needs.at("pods"), 5000);
  EXPECT_EQ(needs.at("requests.cpu"), 4000);
  EXPECT_EQ(needs.at("count/pytorchjobs.kubeflow.org"), 1000);
}

TEST(Shortages, AreWhatAQuotaHasNotLeft) {
  const Value listed = value_of_json(R"({"items": [
    {"metadata": {"name": "team"},
     "spec": {"hard": {"pods": "3", "requests.memory": "4Gi", "requests.cpu": "1", "x": "0"}},
     "status": {"used": {"pods": "2", "requests.memory": "512Mi", "requests.cpu": "2"}}},
    {"metadata": {"name": "best"}, "spec": {"hard": {"pods": "0"}, "scopes": ["BestEffort"]}}]})");
  const std::vector<Quota> quotas = read_quotas(listed);
  ASSERT_EQ(quotas.size(), 2U);
  EXPECT_FALSE(quotas[0].is_scoped);
  EXPECT_TRUE(quotas[1].is_scoped);
  const Amounts needs = {
      {"pods", 2000}, {"requests.memory", 3 * kGi * 1000}, {"requests.cpu", 500}};
  const std::vector<Shortage> wanted = {{"pods", "2", "1", "3"},
                                        {"requests.cpu", "500m", "0", "1"}};
  EXPECT_EQ(shortages(quotas[0], needs), wanted);
}

TEST(Shortages, AnExactFitIsNone) {
  const Quota quota{"q", false, {{"requests.cpu", 300}}, {}};
  Amounts needs = {{"requests.cpu", 0}};
  for (int i = 0; i < 3; ++i) needs["requests.cpu"] += *parse_quantity("0.1");
  EXPECT_TRUE(shortages(quota, needs).empty());
}

}  // namespace
}  // namespace muster::kubernetes
