// Which rank goes to which node, and what is said when they do not fit.
#include <ctime>
#include <gtest/gtest.h>

#include "model/carriers.hpp"
#include "plan/plan.hpp"

namespace muster::plan::place_test {
namespace {

using base::Fault;
using base::Rank;
using model::MapBy;

struct Job {
  model::JobSpec spec;
  model::Inventory inventory;
};

// Hosts a, b, c ... with these slots, from lines 1, 2, 3 ... of a hostfile.
Job job_on(const std::vector<std::uint32_t>& slots) {
  Job job;
  job.spec.apps.front().command = {"./train", "--lr", "0.1 or so"};
  job.spec.source = job.inventory.source = model::kHostsInFile;
  job.spec.source_name = job.inventory.source_name = "hosts";
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    model::Host host;
    host.name = std::string(1, static_cast<char>('a' + i));
    host.carrier = model::kOpened;
    host.slots = slots[i];
    host.place = {"hosts", i + 1, 1};
    job.inventory.hosts.push_back(host);
  }
  return job;
}

// The host of each rank, in rank order: "aab".
std::string layout(const base::Result<model::Plan>& plan) {
  if (!plan) return base::to_string(plan.error());
  std::string text;
  for (const model::PlannedRank& rank : plan->ranks) text += plan->nodes[rank.node.value].host.name;
  return text;
}

std::string layout(const Job& job) { return layout(place(job.spec, job.inventory)); }

TEST(Place, by_slot_fills_each_node_in_turn) {
  Job job = job_on({2, 3});
  EXPECT_EQ(layout(job), "aabbb");
  job.spec.apps.front().ranks = 3;
  EXPECT_EQ(layout(job), "aab");
}

TEST(Place, by_node_deals_one_each_and_skips_full_nodes) {
  Job job = job_on({1, 3, 2});
  job.spec.mapping.map_by = MapBy::node;
  EXPECT_EQ(layout(job), "abcbcb");
}

TEST(Place, only_nodes_with_ranks_are_in_the_plan) {
  Job job = job_on({2, 2, 2});
  job.spec.apps.front().ranks = 3;
  const auto plan = place(job.spec, job.inventory);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->nodes.size(), 2U);
  EXPECT_EQ(plan->nodes[0].ranks, (std::vector{Rank(0), Rank(1)}));
  EXPECT_EQ(plan->nodes[1].ranks, std::vector{Rank(2)});
  EXPECT_EQ(plan->ranks[1].local_rank, 1U);
  EXPECT_EQ(plan->universe, 6U);
}

TEST(Place, per_node_counts_and_caps) {
  Job job = job_on({4, 4});
  job.spec.per_node = 2;
  EXPECT_EQ(layout(job), "aabb");
  job.spec.apps.front().ranks = 3;
  EXPECT_EQ(layout(job), "aab");
}

TEST(Place, too_many_ranks_on_hosts_name_line_counts_and_command) {
  Job job = job_on({2, 2});
  job.spec.apps.front().ranks = 6;
  const auto plan = place(job.spec, job.inventory);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().fault, Fault::no_slots);
  EXPECT_EQ(base::to_string(plan.error()),
            "hosts:1: 6 ranks wanted, but 2 hosts have 4 slots\n"
            "  hint: use -n 4, or add --oversubscribe to share cores");
}

TEST(Place, oversubscribed_ranks_are_spread_evenly_in_rows) {
  Job job = job_on({2, 2});
  job.spec.apps.front().ranks = 7;
  job.spec.oversubscribe = true;
  EXPECT_EQ(layout(job), "aaaabbb");
  EXPECT_TRUE(place(job.spec, job.inventory)->notices.empty());
}

TEST(Place, by_node_goes_on_round_robin_when_all_are_full) {
  Job job = job_on({2, 1, 1});
  job.spec.apps.front().ranks = 7;
  job.spec.oversubscribe = true;
  job.spec.mapping.map_by = MapBy::node;
  EXPECT_EQ(layout(job), "abcabca");
}

TEST(Place, max_slots_holds_with_oversubscribe) {
  Job job = job_on({1, 1});
  job.inventory.hosts[0].max_slots = 2;
  job.spec.apps.front().ranks = 6;
  job.spec.oversubscribe = true;
  EXPECT_EQ(layout(job), "aabbbb");
  job.inventory.hosts[1].max_slots = 3;
  const auto plan = place(job.spec, job.inventory);
  ASSERT_FALSE(plan);
  EXPECT_EQ(base::to_string(plan.error()),
            "hosts:1: 6 ranks wanted, but there is room for 5 (max_slots of 2 hosts)\n"
            "  hint: use -n 5");
}

TEST(Place, per_node_that_leaves_no_room_is_an_error) {
  Job job = job_on({4, 4});
  job.spec.per_node = 2;
  job.spec.apps.front().ranks = 5;
  const auto plan = place(job.spec, job.inventory);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().fault, Fault::no_slots);
  EXPECT_EQ(plan.error().what, "5 ranks wanted, but there is room for 4 (--per-node 2 of 2 hosts)");
}

Job job_here(std::uint32_t cpus) {
  Job job;
  job.spec.apps.front().command = {"app"};
  job.inventory.hosts = {{"laptop", "", 0, model::kLocal, cpus, {}, model::Cpus{cpus}, {}}};
  return job;
}

TEST(Place, here_runs_one_rank_unless_told) { EXPECT_EQ(layout(job_here(4)), "laptop"); }

TEST(Place, too_many_ranks_here_run_with_one_notice) {
  Job job = job_here(4);
  job.spec.apps.front().ranks = 4;
  EXPECT_TRUE(place(job.spec, job.inventory)->notices.empty());
  job.spec.apps.front().ranks = 8;
  const auto plan = place(job.spec, job.inventory);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->ranks.size(), 8U);
  EXPECT_EQ(plan->notices, std::vector<std::string>{
                               "8 ranks on 4 cores of this machine: ranks take turns on them"});
}

TEST(Place, fake_nodes_run_one_rank_each_unless_told) {
  Job job = job_here(1);
  job.spec.fake_nodes = 3;
  job.inventory = *inventory(job.spec, {{4}, "laptop", {}});
  EXPECT_EQ(layout(job), "fake-0fake-1fake-2");
}

TEST(Place, counts_beyond_the_bounds_are_refused) {
  Job job = job_on({model::kRanksMax});
  EXPECT_EQ(place(job.spec, job.inventory)->ranks.size(), model::kRanksMax);
  job.inventory.hosts[0].slots += 1;
  EXPECT_EQ(place(job.spec, job.inventory).error().fault, Fault::usage);
  job.spec.apps.front().ranks = 0;
  EXPECT_EQ(place(job.spec, job.inventory).error().what,
            "a job has from 1 to 1000000 ranks, not 0");
}

// The processor time that it takes to place 100 ranks on each of so many hosts.
std::clock_t placing_time(std::uint32_t hosts, MapBy policy) {
  Job job = job_on(std::vector<std::uint32_t>(hosts, 50));
  for (std::uint32_t i = 0; i < hosts; ++i) job.inventory.hosts[i].max_slots = 51 + i;
  job.spec.apps.front().ranks = 100 * hosts;
  job.spec.oversubscribe = true;
  job.spec.mapping.map_by = policy;
  const std::clock_t begin = std::clock();
  EXPECT_EQ(place(job.spec, job.inventory)->ranks.size(), 100 * hosts);
  return std::clock() - begin;
}

// An eighth of it takes an eighth of the time; quadratic work would take 64 times as long.
TEST(Place, million_ranks_on_ten_thousand_hosts_take_linear_time) {
  ASSERT_EQ(model::kRanksMax, 1'000'000u);
  for (const MapBy policy : {MapBy::slot, MapBy::node}) {
    EXPECT_LT(placing_time(10'000, policy), 24 * placing_time(1'250, policy));
  }
}

TEST(Reason, names_policy_slot_host_and_line) {
  Job job = job_on({1, 2});
  job.spec.apps.front().ranks = 4;
  job.spec.oversubscribe = true;
  const auto plan = place(job.spec, job.inventory);
  ASSERT_TRUE(plan);
  EXPECT_EQ(reason(*plan, Rank(0)), "by slot: slot 1 of 1 on a (hosts:1)");
  EXPECT_EQ(reason(*plan, Rank(1)), "by slot: number 2 on a, beyond its 1 slot (hosts:1)");
  EXPECT_EQ(reason(*plan, Rank(3)), "by slot: slot 2 of 2 on b (hosts:2)");
}

TEST(Reason, names_this_machine_and_fake_nodes) {
  Job job = job_here(2);
  EXPECT_EQ(reason(*place(job.spec, job.inventory), Rank(0)),
            "by slot: slot 1 of 2 on laptop (this machine)");
  job.spec.fake_nodes = 2;
  job.spec.mapping.map_by = MapBy::node;
  job.inventory = *inventory(job.spec, {{4}, "laptop", {}});
  EXPECT_EQ(reason(*place(job.spec, job.inventory), Rank(1)),
            "by node: slot 1 of 2 on fake-1 (--fake-nodes)");
}

TEST(Place, tells_of_numbers_that_all_ranks_share) {
  Job job = job_on({2, 1});
  job.spec.apps.front().exports = {{"RANK", "5"}, {"A", "1"}, {"LOCAL_RANK", "0"}};
  const std::string rest = " is set for all ranks alike: ";
  const std::string own = " of them take it for their own number";
  EXPECT_EQ(place(job.spec, job.inventory)->notices,
            (std::vector<std::string>{"RANK" + rest + "3" + own, "LOCAL_RANK" + rest + "2" + own}));
  job.spec.per_node = 1;
  EXPECT_EQ(place(job.spec, job.inventory)->notices,
            std::vector<std::string>{"RANK" + rest + "2" + own});
  job.spec.apps.front().exports.front().ours = true;
  EXPECT_TRUE(place(job.spec, job.inventory)->notices.empty());
}

// What is told of a variable that all ranks of so many hosts get with this value.
std::string told_of(Job job, model::EnvSetting setting) {
  const std::string name = setting.name;
  job.spec.apps.front().exports = {std::move(setting)};
  const auto notices = place(job.spec, job.inventory)->notices;
  EXPECT_LE(notices.size(), 1U);
  const std::string rest = " is set for all ranks alike: ";
  if (notices.empty()) return {};
  EXPECT_TRUE(notices[0].starts_with(name + rest)) << notices[0];
  return notices[0].substr(name.size() + rest.size());
}

TEST(Place, tells_of_sizes_that_are_others_than_the_job_has) {
  for (const char* name : {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "HOROVOD_SIZE"}) {
    EXPECT_EQ(told_of(job_on({2, 1}), {name, "5"}), "there are 3") << name;
    EXPECT_EQ(told_of(job_on({2, 1}), {name, "3"}), "") << name;
    EXPECT_EQ(told_of(job_on({2, 1}), {name, {}}), "") << name;
  }
  for (const char* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    EXPECT_EQ(told_of(job_on({2, 1}), {name, "2"}), "not all nodes have as many") << name;
    EXPECT_EQ(told_of(job_on({2, 2}), {name, "4"}), "there are 2") << name;
    EXPECT_EQ(told_of(job_on({2, 2}), {name, "2"}), "") << name;
  }
}

TEST(Place, tells_of_nodes_numbers_that_the_ranks_of_several_share) {
  for (const char* name : {"NODE_RANK", "GROUP_RANK"}) {
    EXPECT_EQ(told_of(job_on({2, 1}), {name, "0"}), "3 of them take it for their node's number");
    EXPECT_EQ(told_of(job_on({2}), {name, "0"}), "") << name;
  }
}

TEST(Place, tells_where_ranks_meet_if_not_where_it_chose) {
  for (const char* name : {"MASTER_ADDR", "MASTER_PORT"}) {
    Job job = job_on({2});
    EXPECT_EQ(told_of(job, {name, "1"}), "they do not meet where muster chose") << name;
    Job mpi = job;
    mpi.spec.slot_rule = model::SlotRule::hydra;  // mpiexec leaves that to the user
    EXPECT_EQ(told_of(mpi, {name, "1"}), "") << name;
    job.spec.torch.emplace();  // its own words say where
    EXPECT_EQ(told_of(job, {name, "1"}), "") << name;
  }
}

TEST(Place, tells_of_devices_only_where_it_deals_them) {
  Job job = job_on({2});
  EXPECT_EQ(told_of(job, {"CUDA_VISIBLE_DEVICES", "0"}), "");
  job.spec.gpus_per_rank = 1;
  EXPECT_EQ(told_of(job, {"CUDA_VISIBLE_DEVICES", "0"}), "they do not get devices of their own");
}

}  // namespace
}  // namespace muster::plan::place_test
