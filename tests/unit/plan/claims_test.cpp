// Ranks that are bound away from the cpus of other jobs, on recorded machines and small ones.
#include "plan/claims.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "model/carriers.hpp"
#include "model/topology_text.hpp"
#include "plan/plan.hpp"

namespace muster::plan::claims_test {
namespace {

using model::BindTo;
using model::CpuSet;
using model::Level;
using model::MapBy;

// Two packages, two cores in each, two threads in each.
constexpr const char* kSmall =
    "topology 1\nallowed 0-7\nhwthread 0 1 2 3 4 5 6 7\ncore 0-1 2-3 4-5 6-7\nnuma 0-3 4-7\n"
    "package 0-3 4-7\nmachine 0-7\nmemory 1 1\n";

std::string recorded(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/tests/golden/data/topology/" + name + ".txt");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Job {
  model::JobSpec spec;
  std::string machine = kSmall;
  std::string claimed;
  model::Carrier carrier = model::kLocal;

  explicit Job(std::uint32_t ranks) {
    spec.apps.front().command = {"app"};
    spec.apps.front().ranks = ranks;
  }
  Job& bind(Level level) {
    spec.mapping.bind_to = BindTo::object;
    spec.mapping.bind_level = level;
    spec.mapping.bind_given = true;
    return *this;
  }
  Job& map(Level level) {
    spec.mapping.map_by = MapBy::object;
    spec.mapping.level = level;
    spec.mapping.map_given = true;
    return *this;
  }
  Job& without(const std::string& cpus) {
    claimed = cpus;
    return *this;
  }
  Job& on(const std::string& name) {
    machine = recorded(name);
    return *this;
  }

  [[nodiscard]] model::Plan plan() const {
    auto topology = model::decode_topology(machine);
    if (!topology) return {};
    if (!claimed.empty()) topology->claimed = *model::parse_cpu_set(claimed);
    ThisMachine here{{8}, "box", {}, {}};
    here.topology.value = std::make_shared<const model::Topology>(*topology);
    auto hosts = inventory(spec, here);
    for (model::Host& host : hosts->hosts) host.carrier = carrier;
    auto placed = place(spec, *hosts);
    EXPECT_TRUE(placed) << base::to_string(placed.error());
    return placed ? *placed : model::Plan();
  }
};

// "0-1 2-3", and what is told.
std::string layout(const model::Plan& plan) {
  std::string text;
  for (const model::PlannedRank& rank : plan.ranks) {
    if (!text.empty()) text += ' ';
    text += rank.binding == model::kUnbound ? "-" : to_string(plan.sets[rank.binding]);
  }
  for (const std::string& notice : plan.notices) text += "\n" + notice;
  return text;
}
std::string layout(const Job& job) { return layout(job.plan()); }

TEST(Claims, of_others_are_left_to_them) {
  EXPECT_EQ(layout(Job(2).bind(Level::core)), "0-1 2-3");
  EXPECT_EQ(layout(Job(2).bind(Level::core).without("0-1")), "2-3 4-5");
  EXPECT_EQ(layout(Job(2).bind(Level::core).without("6-7")), "0-1 2-3");
  EXPECT_EQ(layout(Job(2).bind(Level::core).map(Level::package).without("0-1")), "2-3 4-5");
}

TEST(Claims, of_a_thread_are_claims_of_its_core_while_others_are_free) {
  EXPECT_EQ(layout(Job(1).bind(Level::hwthread).without("0")), "2");
  EXPECT_EQ(layout(Job(1).bind(Level::hwthread).without("1")), "2");
  EXPECT_EQ(layout(Job(1).bind(Level::core).without("1")), "2-3");
  EXPECT_EQ(layout(Job(1).bind(Level::hwthread).without("0-2,4,6")), "3");
}

TEST(Claims, leave_what_is_left_of_wider_objects) {
  EXPECT_EQ(layout(Job(2).bind(Level::package).map(Level::package).without("0-1")), "2-3 4-7");
  EXPECT_EQ(layout(Job(1).bind(Level::package).map(Level::package).without("0-3")), "4-7");
}

TEST(Claims, that_leave_too_few_cores_are_told) {
  EXPECT_EQ(layout(Job(2).bind(Level::core).without("0-5")),
            "- -\nranks on box are not bound: other jobs of muster are bound to cpus 0-5 there");
  EXPECT_EQ(layout(Job(1).bind(Level::core).without("0-7")),
            "-\nranks on box are not bound: other jobs of muster are bound to cpus 0-7 there");
  Job wide(1);
  wide.spec.mapping.cpus_per_rank = 2;
  EXPECT_EQ(layout(wide.without("0-1,4-5")), "2-3,6-7");
}

TEST(Claims, never_exchange_what_the_user_listed) {
  Job list(1);
  list.spec.mapping.bind_to = BindTo::cpu_list;
  list.spec.mapping.bind_given = true;
  list.spec.mapping.cpu_list = {1};
  EXPECT_EQ(layout(list.without("4-7")), "2-3");
  EXPECT_EQ(
      layout(list.without("3,6")),
      "-\nranks on box are not bound: other jobs of muster are bound to cpu 3 there, which the "
      "cpu list names");
  Job within = Job(1).bind(Level::core);
  within.spec.mapping.cpu_set = CpuSet::range(0, 1);
  EXPECT_EQ(layout(within.without("0-1")), "2-3");
  EXPECT_EQ(layout(within.without("0-3")),
            "-\nranks on box are not bound: other jobs of muster are bound to cpus 0-3 there");
}

TEST(Claims, hold_for_hydras_ways_of_binding) {
  Job job = Job(2).bind(Level::core);
  job.spec.slot_rule = model::SlotRule::hydra;
  EXPECT_EQ(layout(job), "0-1 2-3");
  EXPECT_EQ(layout(job.without("0")), "2-3 4-5");
  EXPECT_EQ(layout(job.without("0-5")).substr(0, 3), "- -");
  job.spec.mapping.bind_to = BindTo::rr;
  EXPECT_EQ(layout(job.without("0-1")), "2 3");
}

TEST(Claims, are_what_ranks_are_bound_to) {
  const model::Plan plan = Job(2).bind(Level::core).plan();
  EXPECT_EQ(to_string(claims_of(plan, base::NodeIndex(0))), "0-3");
  EXPECT_EQ(to_string(claims_of(Job(2).plan(), base::NodeIndex(0))), "");
  // All that a rank may use is no binding.
  EXPECT_EQ(to_string(claims_of(Job(1).bind(Level::machine).plan(), base::NodeIndex(0))), "");
}

TEST(Claims, of_fake_nodes_that_share_cores_are_made_once) {
  Job job(6);
  job.spec.fake_nodes = 6;
  job.carrier = model::kFakeNode;
  const model::Plan plan = job.bind(Level::hwthread).plan();
  CpuSet all;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const CpuSet claims = claims_of(plan, base::NodeIndex(i));
    EXPECT_FALSE(claims.meets(all)) << i;
    all |= claims;
  }
  EXPECT_FALSE(all.empty());
}

TEST(Claims, that_come_between_plan_and_start_are_yielded_to) {
  model::Plan plan = Job(2).bind(Level::core).plan();
  EXPECT_EQ(yield_claimed(plan, base::NodeIndex(0), CpuSet::of(2)), "");
  EXPECT_EQ(layout(plan), "0-1 4-5");
  EXPECT_NE(yield_claimed(plan, base::NodeIndex(0), CpuSet::range(0, 7)), "");
  EXPECT_EQ(layout(plan), "- -");
}

// Whatever others hold: ranks stay off it, and those of one core each do not meet.
TEST(Claims, are_respected_on_every_recorded_machine) {
  for (const char* name : {"four_numa", "many_l3", "no_cpu_numa", "restricted", "two_sockets"}) {
    const model::Plan alone = Job(1).on(name).bind(Level::core).plan();
    ASSERT_EQ(alone.ranks.size(), 1U) << name;
    model::Plan second = Job(2).on(name).bind(Level::core).without(to_string(alone.sets[0])).plan();
    ASSERT_EQ(second.ranks.size(), 2U) << name;
    CpuSet seen = alone.sets[0];
    for (const auto& rank : second.ranks) {
      ASSERT_NE(rank.binding, model::kUnbound) << name;
      EXPECT_FALSE(second.sets[rank.binding].meets(seen)) << name;
      seen |= second.sets[rank.binding];
    }
  }
}

}  // namespace
}  // namespace muster::plan::claims_test
