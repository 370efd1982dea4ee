// What all ranks have in common, and what each has of its own.
#include "plan/environments.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "model/carriers.hpp"
#include "plan/plan.hpp"
#include "unit/plan/dialects_of.hpp"

namespace muster::plan::environments_test {
namespace {

using base::Rank;
using model::Variable;
using Names = std::set<std::string>;

// Two apps, of four and two ranks, on this machine and two others with 1, 3 and 2 ranks.
class EnvironmentsOfAll : public ::testing::Test {
 protected:
  EnvironmentsOfAll() {
    spec_.apps = {app("train", 4), app("serve", 2)};
    const auto add = [&](const char* name, const model::Carrier& carrier, std::uint32_t slots) {
      inventory_.hosts.push_back({name, "", 0, carrier, slots, {}, {}, {"-H", 0, 0}});
    };
    add("a", model::kLocal, 1);
    add("b", model::kOpened, 3);
    add("c", model::kOpened, 2);
    inventory_.source = model::kHostsListed;
  }

  static model::App app(const std::string& program, std::uint32_t ranks) {
    model::App app;
    app.command = {program};
    app.ranks = ranks;
    return app;
  }

  [[nodiscard]] Environments environments() {
    plan_ = *place(spec_, inventory_);
    where_ = rendezvous(plan_, {});
    kept_ = {kept(Machine::same), kept(Machine::another)};
    return {{plan_, where_, spec_, job_}, kept_, exported};
  }

  static std::vector<Variable> exported(const Forwarded& kept) {
    std::vector<Variable> set;
    for (const Variable& one : kept.kept) {
      if (one.why == "-x") set.push_back(one);
    }
    return set;
  }

  // One by one, without any of the shortcuts.
  [[nodiscard]] std::vector<Variable> slowly(Rank rank) const {
    const model::PlannedRank& planned = plan_.ranks[rank.value];
    const Forwarded& kept = kept_.on(plan_.nodes[planned.node.value].host)[planned.app];
    auto all = dialects(plan_, where_, kept, job_, spec_, rank);
    for (const auto& more : {exported(kept), added_for_app(plan_, spec_, planned.app),
                             added_for_rank(plan_, spec_, rank)}) {
      for (const Variable& one : more) {
        std::erase_if(all, [&](const Variable& other) { return other.name == one.name; });
        all.push_back(one);
      }
    }
    std::ranges::sort(all, {}, &Variable::name);
    return all;
  }

  void expect_right_and_least(const Environments& environments) const {
    std::vector<Variable> shared = slowly(Rank(0));
    for (std::uint32_t i = 0; i < plan_.ranks.size(); ++i) {
      const auto all = slowly(Rank(i));
      std::erase_if(shared, [&](const Variable& v) { return !std::ranges::count(all, v); });
      const auto own = environments.own(Rank(i));
      EXPECT_TRUE(std::ranges::is_sorted(own, {}, &Variable::name));
      auto told = environments.common();
      told.insert(told.end(), own.begin(), own.end());
      std::ranges::sort(told, {}, &Variable::name);
      EXPECT_EQ(told, all) << "rank " << i;
    }
    EXPECT_EQ(environments.common(), shared);
  }

  [[nodiscard]] std::vector<Forwarded> kept(Machine machine) const {
    std::vector<Forwarded> all;
    for (const model::App& app : spec_.apps) {
      all.push_back(*forwarded(std::vector<std::string>(), app, {}, machine));
    }
    return all;
  }

  model::JobSpec spec_;
  model::Inventory inventory_;
  model::Plan plan_;
  Rendezvous where_;
  const std::string job_ = "job-7";
  Kept kept_;
};

Names names(const std::vector<Variable>& variables) {
  Names all;
  for (const Variable& one : variables) all.insert(one.name);
  return all;
}

TEST_F(EnvironmentsOfAll, are_told_without_loss) { expect_right_and_least(environments()); }

TEST_F(EnvironmentsOfAll, have_the_list_of_hosts_once) {
  const Environments all = environments();
  const Names common = names(all.common());
  for (const char* name : {"AZ_BATCH_HOST_LIST", "WORLD_SIZE", "MASTER_ADDR", "PMI_SIZE"}) {
    EXPECT_TRUE(common.contains(name)) << name;
  }
  const Names own = names(all.own(Rank(5)));
  for (const char* name : {"RANK", "OMPI_COMMAND", "HOROVOD_CROSS_RANK", "PMIX_RANK"}) {
    EXPECT_TRUE(own.contains(name)) << name;
  }
}

TEST_F(EnvironmentsOfAll, may_be_exported_by_one_app) {
  spec_.apps[1].exports = {{"WORLD_SIZE", "77"}, {"RANK", "5"}, {"OMP_NUM_THREADS", "3"}};
  expect_right_and_least(environments());
}

TEST_F(EnvironmentsOfAll, keep_what_the_host_sets_last) {
  spec_.apps[0].exports = {{"PMI_RANK", "77"}, {"PMI_SIZE", "78"}};
  const Environments all = environments();
  expect_right_and_least(all);
  EXPECT_TRUE(names(all.own(Rank(0))).contains("PMI_RANK"));
  EXPECT_TRUE(names(all.common()).contains("PMI_SIZE"));
}

TEST_F(EnvironmentsOfAll, of_ranks_alone_on_their_hosts) {
  spec_.apps = {app("train", 3)};
  spec_.mapping.map_by = model::MapBy::node;
  const Environments all = environments();
  expect_right_and_least(all);
  EXPECT_TRUE(names(all.common()).contains("LOCAL_RANK"));
}

TEST_F(EnvironmentsOfAll, of_one_rank_are_common) {
  spec_.apps = {app("train", 1)};
  const Environments all = environments();
  expect_right_and_least(all);
  EXPECT_TRUE(all.own(Rank(0)).empty());
}

TEST(TwinsOfRanks, are_counted_by_local_rank) {
  model::Plan plan;
  std::uint32_t rank = 0;
  for (const std::uint32_t count : {1U, 3U, 2U}) {
    plan.nodes.emplace_back();
    for (std::uint32_t local = 0; local < count; ++local) {
      plan.nodes.back().ranks.emplace_back(rank++);
      plan.ranks.push_back({base::NodeIndex(plan.nodes.size() - 1), local});
    }
  }
  const Twins found = twins(plan);
  EXPECT_EQ(found.before, (std::vector<std::uint32_t>{0, 1, 0, 0, 2, 1}));
  EXPECT_EQ(found.nodes, (std::vector<std::uint32_t>{3, 2, 1}));
}

}  // namespace
}  // namespace muster::plan::environments_test
