// Ranks beside their GPUs, on hosts that are made up: two sockets of four cores with two threads
// each, four NVIDIA GPUs, two of them near each socket, and the display's.
#include "plan/gpu_binding.hpp"

#include <gtest/gtest.h>

#include "model/carriers.hpp"
#include "model/topology_text.hpp"
#include "plan/claims.hpp"
#include "plan/plan.hpp"

namespace muster::plan {
namespace {

using model::BindTo;

constexpr const char* kCores =
    "topology 1\nallowed 0-15\nhwthread 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
    "core 0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15\nnuma 0-7 8-15\npackage 0-7 8-15\nmachine 0-15\n"
    "memory 1 1\n";
constexpr const char* kGpus =
    "device 0 CUDA_VISIBLE_DEVICES 0-7\ndevice 1 CUDA_VISIBLE_DEVICES 8-15\n"
    "device 2 CUDA_VISIBLE_DEVICES 8-15\ndevice 3 CUDA_VISIBLE_DEVICES 0-7\n"
    "device 0 ZE_AFFINITY_MASK 0-7\ndevice eth0 net 0-7\n";

struct Gpus {
  model::JobSpec spec;
  model::Inventory hosts;
  model::Topology topology;

  explicit Gpus(std::uint32_t ranks, const std::string& devices = kGpus) {
    spec.apps.front().command = {"./app"};
    spec.apps.front().ranks = ranks;
    spec.mapping.bind_to = BindTo::gpu;
    spec.mapping.bind_given = true;
    topology = model::decode_topology(kCores + devices).value();
    hosts.source = model::kHostsListed;
    add_host("a");
  }
  model::Host& add_host(const std::string& name) {
    model::Host& host = hosts.hosts.emplace_back();
    host.name = name;
    host.slots = 8;
    return host;
  }
  [[nodiscard]] base::Result<model::Plan> plan() {
    const model::SharedTopology shared{std::make_shared<const model::Topology>(topology)};
    for (model::Host& host : hosts.hosts) host.topology = shared;
    return place(spec, hosts);
  }
  static std::string words(const base::Result<model::Plan>& plan) {
    if (!plan) return to_string(plan.error());
    std::string text;
    for (std::uint32_t rank = 0; rank < plan->ranks.size(); ++rank) {
      const std::string cpus = model::to_string(plan->cpus_of(base::Rank(rank)));
      text += (text.empty() ? "" : " ") + (cpus.empty() ? "-" : cpus);
    }
    return text;
  }
  [[nodiscard]] std::string bound() { return words(plan()); }
};

TEST(GpuBinding, needs_to_know_the_hardware) { EXPECT_TRUE(needs_topology(Gpus(1).spec)); }

TEST(GpuBinding, rank_k_is_near_gpu_k_and_begins_anew_behind_the_last) {
  EXPECT_EQ(Gpus(6).bound(), "0-7 8-15 8-15 0-7 0-7 8-15");
}

TEST(GpuBinding, of_several_gpus_a_rank_has_the_cores_of_all) {
  Gpus pairs(2);
  pairs.spec.gpus_per_rank = 2;
  pairs.topology.devices[3].cpus = model::CpuSet::range(8, 15);
  EXPECT_EQ(pairs.bound(), "0-15 8-15");
}

TEST(GpuBinding, what_affinity_or_a_cpu_set_leaves) {
  Gpus some(4);
  some.topology.allowed = *model::parse_cpu_set("4-9");
  EXPECT_EQ(some.bound(), "4-7 8-9 8-9 4-7");
  some.topology.allowed = model::CpuSet::range(0, 15);
  some.spec.mapping.cpu_set = *model::parse_cpu_set("3,4");  // cores
  EXPECT_EQ(some.bound(), "6-7 8-9 8-9 6-7");
}

TEST(GpuBinding, what_the_host_or_the_user_shows) {
  Gpus shown(2);
  shown.hosts.hosts.front().visible = "3,1";
  EXPECT_EQ(shown.bound(), "0-7 8-15");
  Gpus limited(2);
  limited.spec.apps.front().exports = {{"CUDA_VISIBLE_DEVICES", "2"}};
  EXPECT_EQ(limited.bound(), "8-15 8-15");
  limited.spec.apps.front().exports = {{"CUDA_VISIBLE_DEVICES", ""}};
  limited.topology.devices.resize(4);
  EXPECT_EQ(limited.plan().error().what, "a has no GPU to bind to");
}

TEST(GpuBinding, the_displays_counts_where_there_is_no_other) {
  EXPECT_EQ(Gpus(1, "device 0 ZE_AFFINITY_MASK 8-15\n").bound(), "8-15");
  EXPECT_EQ(Gpus(1, "device 0 ZE_AFFINITY_MASK 8-15\ndevice 0 ROCR_VISIBLE_DEVICES 0-7\n").bound(),
            "0-7");
}

TEST(GpuBinding, a_host_without_gpus_is_an_error_unless_it_may_be_one) {
  const char* hint = "\n  hint: --bind-to gpu:if-supported binds only where possible";
  EXPECT_EQ(Gpus(1, "device eth0 net 0-7\n").bound(),
            "a has no GPU to bind to" + std::string(hint));
  EXPECT_EQ(Gpus(1, "device 0 CUDA_VISIBLE_DEVICES -\n").bound(),
            "a does not tell which cores are near its GPU 0" + std::string(hint));
  Gpus none(2, "");
  none.spec.mapping.bind_if_supported = true;
  EXPECT_EQ(none.bound(), "- -");
  Gpus far(1);
  far.topology.allowed = model::CpuSet::range(8, 15);
  EXPECT_EQ(far.bound(), "no core near GPU 0 of a may be used" + std::string(hint));
  Gpus farther(1, "device 0 CUDA_VISIBLE_DEVICES - 31 21\n");
  EXPECT_EQ(farther.bound(), "no core near GPU 0 of a may be used" + std::string(hint))
      << "the cpus near it are a cgroup's that is not ours";
}

TEST(GpuBinding, cannot_be_had_with_cpus_of_ones_own) {
  Gpus wide(1);
  wide.spec.mapping.cpus_per_rank = 2;
  EXPECT_EQ(wide.plan().error().what,
            "PE=2 binds each rank to cpus of its own, but --bind-to gpu was requested");
}

TEST(GpuBinding, fake_nodes_have_their_share_of_what_is_dealt_out) {
  Gpus fake(2);
  fake.hosts.hosts.front().slots = 1;
  fake.add_host("b").slots = 1;
  for (model::Host& host : fake.hosts.hosts) host.carrier = model::kFakeNode;
  EXPECT_EQ(fake.bound(), "0-7 0-7");
  fake.spec.gpus_per_rank = 1;
  EXPECT_EQ(fake.bound(), "0-7 8-15");
}

// GPUs 0 and 3 are near the first socket's four cores, 1 and 2 near the second's.
class NumaBinding : public testing::TestWithParam<std::pair<model::NearGpu, const char*>> {};

TEST_P(NumaBinding, is_that_of_torch) {
  Gpus numa(5, std::string(kGpus) + "device 4 CUDA_VISIBLE_DEVICES 0-7\n");
  numa.spec.mapping.bind_to = BindTo::object;
  numa.spec.mapping.bind_level = model::Level::core;
  numa.spec.mapping.bind_overload = true;
  numa.spec.mapping.near_gpu = GetParam().first;
  numa.topology.at(model::Level::l3cache) = {model::CpuSet::range(0, 1), model::CpuSet::range(2, 7),
                                             model::CpuSet::range(8, 15)};
  EXPECT_EQ(numa.bound(), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Modes, NumaBinding,
                         testing::Values(std::pair(model::NearGpu::node, "0-7 8-15 8-15 0-7 0-7"),
                                         std::pair(model::NearGpu::socket, "0-7 8-15 8-15 0-7 0-7"),
                                         std::pair(model::NearGpu::cores, "0-3 8-11 12-15 4-5 6-7"),
                                         std::pair(model::NearGpu::cache,
                                                   "2-7 8-15 8-15 0-1 2-7")));

TEST(GpuBinding, of_torch_needs_a_core_for_each_gpu_and_gpus_at_all) {
  Gpus crowded(1);
  crowded.spec.mapping.near_gpu = model::NearGpu::cores;
  crowded.topology.allowed = model::CpuSet::range(6, 9);
  EXPECT_EQ(crowded.bound(),
            "a has 1 core near 2 GPUs, too few for each\n"
            "  hint: without --numa-binding, ranks are not bound");
  Gpus none(2, "device eth0 net 0-7\n");
  none.spec.mapping.bind_to = BindTo::object;
  none.spec.mapping.bind_level = model::Level::numa;
  none.spec.mapping.near_gpu = model::NearGpu::node;
  EXPECT_EQ(none.bound(), "0-7 8-15") << "in turn";
}

TEST(GpuBinding, near_what_hydra_names) {
  const auto near = [](const char* device, std::uint32_t width = 1) {
    Gpus some(3, std::string(kGpus) +
                     "device ib0 net 0-7\ndevice hfi1_0 infiniband 8-15\n"
                     "device mlx5_0 infiniband 8-15\n"
                     "device mlx5_1 infiniband 0-7\n");
    some.spec.mapping.near = device;
    some.spec.mapping.bind_width = width;
    some.spec.mapping.bind_or_not = false;
    return some.bound();
  };
  EXPECT_EQ(near("ib"), "8-15 0-7 8-15") << "adapters, not their interfaces";
  EXPECT_EQ(near("ib", 2), "0-15 0-15 0-15");
  EXPECT_EQ(near("hfi"), "8-15 8-15 8-15");
  EXPECT_EQ(near("eth"), "0-7 0-7 0-7");
  EXPECT_EQ(near("mlx5_1"), "0-7 0-7 0-7");
  EXPECT_EQ(near("gpu1"), "8-15 8-15 8-15");
  EXPECT_EQ(near("gpu", 2), "0-15 0-15 0-15");
  const std::string hint = "\n  hint: without -bind-to, ranks are not bound";
  EXPECT_EQ(near("eno1"),
            "a has no device eno1 to bind to; it has eth0, ib0, hfi1_0, mlx5_0, mlx5_1" + hint);
  EXPECT_EQ(near("gpu4"), "a has 4 GPUs, and so no gpu4" + hint);
  EXPECT_EQ(near("ib", 3), "a has 2 ib devices, but 3 were requested for each rank" + hint);
}

TEST(GpuBinding, jobs_with_other_gpus_share_the_cores) {
  auto plan = Gpus(2).plan().value();
  EXPECT_TRUE(claims_of(plan, base::NodeIndex(0)).empty());
  EXPECT_EQ(yield_claimed(plan, base::NodeIndex(0), model::CpuSet::range(0, 7)), "");
  EXPECT_EQ(Gpus::words(plan), "0-7 8-15");
}

TEST(GpuBinding, follows_the_gpus_that_other_jobs_leave) {
  Gpus job(2);
  job.spec.gpus_per_rank = 1;
  auto plan = job.plan().value();
  EXPECT_EQ(Gpus::words(plan), "0-7 8-15");
  Rendezvous where;
  where.devices = {{{{"CUDA_VISIBLE_DEVICES", {"1", "3"}}}}};
  follow_gpus(job.spec, plan, where, base::NodeIndex(0));
  EXPECT_EQ(Gpus::words(plan), "8-15 0-7");
  where.devices = {{{{"CUDA_VISIBLE_DEVICES", {}}}}};
  follow_gpus(job.spec, plan, where, base::NodeIndex(0));
  EXPECT_EQ(Gpus::words(plan), "8-15 0-7") << "too few: the job ends with another complaint";
}

}  // namespace
}  // namespace muster::plan
