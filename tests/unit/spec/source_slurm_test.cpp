// The hosts of the Slurm job around.
#include <gtest/gtest.h>
#include <map>

#include "spec/sources.hpp"

namespace muster::spec::source_slurm_test {
namespace {

using Around = std::map<std::string, std::string, std::less<>>;

base::Result<std::optional<HostsFound>> find(const Around& around, const HostForm& form = {}) {
  const auto variable = [&](std::string_view name) -> std::optional<std::string_view> {
    const auto found = around.find(name);
    return found == around.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  };
  return allocation_around({.variable = variable, .form = form});
}

// "node1:4 node2:3", or the complaint.
std::string hosts(const Around& around, const HostForm& form = {}) {
  const auto found = find(around, form);
  if (!found) return found.error().what;
  if (!*found) return "none";
  std::string text;
  for (const model::HostEntry& one : (*found)->hosts) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", one.name, one.slots.value_or(0));
    if (one.component) text += fmt::format("/{}", *one.component);
  }
  return text;
}

TEST(SlurmHosts, ComeWithTheTasksOfEach) {
  const Around around = {{"SLURM_JOB_ID", "7"},
                         {"SLURM_JOB_NODELIST", "node[1-3]"},
                         {"SLURM_TASKS_PER_NODE", "4(x2),3"}};
  EXPECT_EQ(hosts(around), "node1:4 node2:4 node3:3");
  const auto found = **find(around);
  EXPECT_EQ(found.name, "Slurm job 7");
  EXPECT_EQ(found.source, model::kHostsAllocated);
  EXPECT_EQ(found.hosts.front().place.source, "SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE");
}

TEST(SlurmHosts, OfAnOlderSlurmHaveOlderNames) {
  EXPECT_EQ(hosts({{"SLURM_NODELIST", "a,b"}, {"SLURM_TASKS_PER_NODE", "2(x2)"}}), "a:2 b:2");
}

TEST(SlurmHosts, WithinAStepHaveTheCpusOfTheJob) {
  const Around around = {{"SLURM_JOB_NODELIST", "a,b"},
                         {"SLURM_TASKS_PER_NODE", "1"},
                         {"SLURM_STEP_ID", "0"},
                         {"SLURM_STEP_NUM_TASKS", "1"},
                         {"SLURM_JOB_CPUS_PER_NODE", "8,4"}};
  EXPECT_EQ(hosts(around), "a:8 b:4");
  Around by_task = around;
  by_task["SLURM_CPUS_PER_TASK"] = "4";
  EXPECT_EQ(hosts(by_task), "a:2 b:1");
  EXPECT_EQ((*find(by_task))->hosts.front().place.source,
            "SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE by SLURM_CPUS_PER_TASK");
}

TEST(SlurmHosts, OfAStepThatIsTheWholeJobHaveItsTasks) {
  const Around shell = {{"SLURM_JOB_NODELIST", "a,b"},   {"SLURM_STEP_NODELIST", "a,b"},
                        {"SLURM_TASKS_PER_NODE", "2,1"}, {"SLURM_STEP_ID", "0"},
                        {"SLURM_STEP_NUM_TASKS", "3"},   {"SLURM_JOB_CPUS_PER_NODE", "8(x2)"},
                        {"SLURM_PTY_PORT", "1"},         {"SLURM_PROCID", "0"}};
  EXPECT_EQ(hosts(shell), "a:2 b:1");
  Around of_salloc = shell;
  of_salloc["SLURM_STEP_ID"] = "4294967290";
  of_salloc["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_EQ(hosts(of_salloc), "a:2 b:1");
}

TEST(SlurmHosts, OfSeveralComponentsAreOne) {
  EXPECT_EQ(hosts({{"SLURM_HET_SIZE", "2"},
                   {"SLURM_JOB_NODELIST", "a"},
                   {"SLURM_JOB_NODELIST_HET_GROUP_0", "a"},
                   {"SLURM_TASKS_PER_NODE_HET_GROUP_0", "1"},
                   {"SLURM_JOB_NODELIST_HET_GROUP_1", "b[1-2]"},
                   {"SLURM_TASKS_PER_NODE_HET_GROUP_1", "2(x2)"}}),
            "a:1/0 b1:2/1 b2:2/1");
}

TEST(SlurmHosts, OfDevicesCountThem) {
  EXPECT_EQ(hosts({{"SLURM_JOB_NODELIST", "a,b"},
                   {"SLURM_TASKS_PER_NODE", "1(x2)"},
                   {"SLURM_GPUS_ON_NODE", "8"}},
                  {.slots = HostSlots::devices}),
            "a:8 b:8");
}

TEST(SlurmHosts, AreNotThereWithoutAJobOrBelowARankOfOurs) {
  EXPECT_EQ(hosts({}), "none");
  EXPECT_EQ(hosts({{"SLURM_JOB_NODELIST", "a"}, {"MUSTER_HEAD", "/x"}}), "none");
  EXPECT_EQ(hosts({{"SLURM_JOB_NODELIST", ""}}), "none");
}

Around of_step(const std::string& tasks, const std::string& number) {
  return {{"SLURM_JOB_ID", "12"},
          {"SLURM_JOB_NODELIST", "a,b,c"},
          {"SLURM_JOB_CPUS_PER_NODE", "8(x2),4"},
          {"SLURM_CPUS_PER_TASK", "4"},
          {"SLURM_TASKS_PER_NODE", tasks},
          {"SLURM_STEP_ID", "3"},
          {"SLURM_STEP_NODELIST", "b,c"},
          {"SLURM_STEP_NUM_TASKS", "2"},
          {"SLURM_STEP_TASKS_PER_NODE", tasks},
          {"SLURM_PROCID", number}};
}

TEST(SlurmHosts, OfAStepThatCallsMusterOnEachAreTheStepsWithTheCpusOfTheJob) {
  EXPECT_EQ(hosts(of_step("1(x2)", "1")), "b:8 c:4");
  EXPECT_EQ((*find(of_step("1(x2)", "0")))->hosts.front().place.source,
            "SLURM_STEP_NODELIST, SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE");
  Around shell = of_step("1(x2)", "0");
  shell["SLURM_PTY_PORT"] = "1";
  EXPECT_EQ(hosts(shell), "a:2 b:2 c:1");
}

TEST(SlurmHosts, AreForOneTaskOnAHost) {
  EXPECT_EQ(hosts(of_step("2,0", "0")),
            "this muster is one of 2 tasks of a Slurm step, and each would start all ranks");
}

TEST(SlurmHosts, AreRefusedWithTheVariable) {
  const auto bad = find({{"SLURM_JOB_NODELIST", "a[1"}});
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().place.source, "SLURM_JOB_NODELIST");
  EXPECT_EQ(hosts({{"SLURM_JOB_NODELIST", "a,b"}, {"SLURM_TASKS_PER_NODE", "2"}}),
            "SLURM_TASKS_PER_NODE is not a list of 2 counts as Slurm writes it: '2'");
}

}  // namespace
}  // namespace muster::spec::source_slurm_test
