// Roles: which there are, how many of each, and which ranks serve the others.
#include "spec/roles.hpp"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace muster::spec {
namespace {

using Counts = std::vector<std::pair<const char*, std::uint32_t>>;

model::JobSpec job(const Counts& roles) {
  model::JobSpec spec;
  spec.apps.clear();
  for (const auto& [name, ranks] : roles) {
    model::App& app = spec.apps.emplace_back();
    app.role = name;
    app.ranks = ranks;
  }
  return spec;
}

model::JobSpec settled(const Counts& roles) {
  model::JobSpec spec = job(roles);
  const auto done = settle_roles(spec);
  EXPECT_TRUE(done) << to_string(done.error());
  return spec;
}

std::string complaint(const Counts& roles) {
  model::JobSpec spec = job(roles);
  const auto done = settle_roles(spec);
  if (done) return "no complaint";
  const std::string& hint = done.error().hint;
  EXPECT_EQ(done.error().place.source, "--role");
  return done.error().what + (hint.empty() ? "" : " (" + hint + ")");
}

std::string servers(const Counts& roles) {
  std::string names;
  for (const model::App& app : settled(roles).apps) {
    if (app.serves) names += app.role + " ";
  }
  return names;
}

TEST(SettleRoles, KnowsTheFramework) {
  EXPECT_EQ(settled({{"chief", 1}, {"worker", 2}}).roles, model::Roles::tensorflow);
  EXPECT_EQ(settled({{"MS_SCHED", 1}, {"MS_WORKER", 8}}).roles, model::Roles::mindspore);
}

TEST(SettleRoles, ServersAreThoseWhoWaitForRequests) {
  EXPECT_EQ(servers({{"worker", 2}, {"ps", 1}}), "ps ");
  EXPECT_EQ(servers({{"chief", 1}, {"worker", 2}, {"ps", 1}}), "worker ps ");
  EXPECT_EQ(servers({{"chief", 1}, {"worker", 2}, {"evaluator", 1}}), "");
  EXPECT_EQ(servers({{"ps", 2}}), "");
  EXPECT_EQ(servers({{"MS_SCHED", 1}, {"MS_WORKER", 2}, {"MS_PSERVER", 1}}), "");
}

TEST(SettleRoles, RefusesWhatNoFrameworkKnows) {
  EXPECT_EQ(complaint({{"wroker", 2}}), "there is no role 'wroker' (did you mean worker?)");
  EXPECT_EQ(complaint({{"captain", 1}}),
            "there is no role 'captain' (roles are chief, master, worker, ps, evaluator, "
            "MS_SCHED, MS_WORKER, MS_PSERVER)");
}

TEST(SettleRoles, RefusesTwoFrameworks) {
  EXPECT_EQ(complaint({{"worker", 2}, {"MS_SCHED", 1}}),
            "worker and MS_SCHED do not go together (one job is for one framework)");
}

TEST(SettleRoles, RefusesTwoChiefs) {
  EXPECT_EQ(complaint({{"chief", 2}}), "chief may have 1 rank, not 2");
  EXPECT_EQ(complaint({{"chief", 1}, {"worker", 1}, {"chief", 1}}), "chief may have 1 rank, not 2");
  EXPECT_EQ(complaint({{"chief", 1}, {"master", 1}}),
            "chief and master are two words for one rank (keep one of them)");
}

TEST(SettleRoles, MindSporeNeedsItsScheduler) {
  EXPECT_EQ(complaint({{"MS_WORKER", 8}}),
            "MindSpore's workers need a scheduler to find each other (add --role "
            "MS_SCHED=1; it needs no device)");
}

TEST(SettleRoles, HasNoMoreRanksThanTheVariablesCanName) {
  EXPECT_EQ(complaint({{"worker", 2000}, {"ps", 48}}), "no complaint");
  EXPECT_EQ(complaint({{"worker", 2000}, {"ps", 49}}),
            "a job with roles may have 2048 ranks, not 2049");
}

}  // namespace
}  // namespace muster::spec
