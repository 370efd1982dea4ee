// What a dry run shows: the table, the environment, and the JSON.
#include <gtest/gtest.h>

#include "golden/golden.hpp"
#include "model/carriers.hpp"
#include "view/plan.hpp"

namespace muster::golden {
namespace {

using base::NodeIndex;
using base::Rank;

[[nodiscard]] model::Host host(const std::string& name, const model::Carrier& carrier,
                               std::uint32_t slots) {
  model::Host host;
  host.name = name;
  host.carrier = carrier;
  host.slots = slots;
  if (carrier.in_head) host.cpus = model::Cpus{slots};
  return host;
}

// Four ranks on this machine and one ssh host.
struct Sample {
  model::JobSpec spec;
  model::Plan plan;

  Sample() {
    spec.apps.front().command = {"python3", "train.py", "--note", "a \"quoted\" word's\nend"};
    spec.apps.front().workdir = "/home/me";
    spec.hostfile = "node1 slots=4\nnode2 slots=4\n";
    plan.nodes = {{host("localhost", model::kLocal, 2), {Rank(0), Rank(1)}},
                  {host("node1", model::kOpened, 8), {Rank(2), Rank(3)}}};
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      plan.ranks.push_back({NodeIndex(rank / 2), rank % 2});
    }
    plan.notices = {"node1 gives 2 of its 8 slots"};
  }

  [[nodiscard]] view::PlanWords words() const {
    return {spec,
            plan,
            [](Rank rank) { return fmt::format("by slot: hosts:{}", 1 + rank.value / 2); },
            {},
            {{"DISPLAY", "belongs to one host"}, {"SLURM_PROCID", "another launcher's rank"}}};
  }

  [[nodiscard]] view::PlanWords words_with_environment() const {
    view::PlanWords all = words();
    all.environment = {
        {{"PATH", "/usr/bin:/bin", "launching shell"},
         {"PS1", "\n\x1b[1m$\xff ", "-x"},
         {"WORLD_SIZE", "4", "torch"}},
        [](Rank rank) -> std::vector<model::Variable> {
          const std::string number = std::to_string(rank.value);
          return {{"OMPI_COMM_WORLD_RANK", number, "openmpi"}, {"RANK", number, "torch"}};
        }};
    return all;
  }
};

template <class Put>
[[nodiscard]] std::string gathered(const Put& put) {
  std::string text;
  put([&](std::string_view piece) {
    text += piece;
    return true;
  });
  return text;
}

[[nodiscard]] std::string table(const view::PlanWords& words) {
  return gathered([&](const view::Take& take) { view::plan_table(words, {}, take); });
}

[[nodiscard]] std::string json(const view::PlanWords& words) {
  return gathered([&](const view::Take& take) { view::plan_json(words, take); });
}

TEST(ViewPlan, Table) { expect_golden("view/plan_table.txt", table(Sample().words())); }

TEST(ViewPlan, WhereMemoryComesFrom) {
  Sample sample;
  sample.spec.mapping.memory = {.mode = model::MemoryMode::interleave};
  expect_golden("view/plan_memory.txt", table(sample.words()));
  sample.spec.mapping.memory = {.mode = model::MemoryMode::bind,
                                .nodes = model::CpuSet::range(0, 1)};
  expect_golden("view/plan_memory.json", json(sample.words()));
}

TEST(ViewPlan, TableWithEnvironment) {
  expect_golden("view/plan_environment.txt", table(Sample().words_with_environment()));
}

TEST(ViewPlan, Json) { expect_golden("view/plan.json", json(Sample().words())); }

TEST(ViewPlan, JsonWithEnvironment) {
  expect_golden("view/plan_with_environment.json", json(Sample().words_with_environment()));
}

}  // namespace
}  // namespace muster::golden
