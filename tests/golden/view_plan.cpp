// What a dry run shows: the table, the environment, and the JSON.
#include <gtest/gtest.h>

#include "golden/golden.hpp"
#include "view/plan.hpp"

namespace muster::golden {
namespace {

using base::NodeIndex;
using base::Rank;

[[nodiscard]] model::Host host(const std::string& name, model::Reach reach, std::uint32_t slots) {
  model::Host host;
  host.name = name;
  host.reach = reach;
  host.slots = slots;
  if (reach == model::Reach::here) host.cpus = slots;
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
    plan.nodes = {{host("localhost", model::Reach::here, 2), {Rank(0), Rank(1)}},
                  {host("node1", model::Reach::ssh, 8), {Rank(2), Rank(3)}}};
    for (std::uint32_t rank = 0; rank < 4; ++rank) {
      plan.ranks.push_back({NodeIndex(rank / 2), rank % 2});
    }
    plan.notices = {"node1 gives 2 of its 8 slots"};
  }

  [[nodiscard]] view::PlanWords words() const {
    return {spec,
            plan,
            [](Rank rank) { return fmt::format("by slot: hosts:{}", 1 + rank.value / 2); },
            [](Rank rank) -> std::vector<model::Variable> {
              const std::string number = std::to_string(rank.value);
              return {{"OMPI_COMM_WORLD_RANK", number, "openmpi"},
                      {"PATH", "/usr/bin:/bin", "launching shell"},
                      {"PS1", "\n\x1b[1m$\xff ", "-x"},
                      {"RANK", number, "torch"},
                      {"WORLD_SIZE", "4", "torch"}};
            },
            {{"DISPLAY", "belongs to one host"}, {"SLURM_PROCID", "another launcher's rank"}}};
  }
};

TEST(ViewPlan, Table) {
  expect_golden("view/plan_table.txt", view::plan_table(Sample().words(), false, {}));
}

TEST(ViewPlan, TableWithEnvironment) {
  expect_golden("view/plan_environment.txt", view::plan_table(Sample().words(), true, {}));
}

TEST(ViewPlan, Json) { expect_golden("view/plan.json", view::plan_json(Sample().words())); }

}  // namespace
}  // namespace muster::golden
