// Plans and environments of a few jobs, as text.
#include <gtest/gtest.h>

#include "golden/golden.hpp"
#include "plan/environment.hpp"
#include "plan/plan.hpp"
#include "spec/roles.hpp"
#include "unit/plan/dialects_of.hpp"

namespace muster::golden {
namespace {

const plan::ThisMachine kHere{{8}, "laptop", {"localhost"}};

model::JobSpec job(std::vector<std::pair<std::string, std::uint32_t>> hosts) {
  model::JobSpec spec;
  spec.apps.front().command = {"python3", "train.py"};
  if (hosts.empty()) return spec;
  spec.source = model::kHostsInFile;
  spec.source_name = "hosts";
  for (const auto& [name, slots] : hosts) {
    const auto line = static_cast<std::uint32_t>(spec.hosts.size() + 1);
    spec.hosts.push_back({name, "", 0, slots, {}, {"hosts", line, 1}});
  }
  return spec;
}

base::Result<model::Plan> planned(const model::JobSpec& spec) {
  const auto inventory = plan::inventory(spec, kHere);
  if (!inventory) return tl::unexpected(inventory.error());
  return plan::place(spec, *inventory);
}

std::string plan_text(const base::Result<model::Plan>& plan) {
  if (!plan) return base::to_string(plan.error()) + "\n";
  std::string text = fmt::format("universe {}\n", plan->universe);
  for (const std::string& notice : plan->notices) text += "notice " + notice + "\n";
  for (std::uint32_t rank = 0; rank < plan->ranks.size(); ++rank) {
    const model::PlannedRank& where = plan->ranks[rank];
    text += fmt::format("rank {} node {} local {}: {}\n", rank, where.node.value, where.local_rank,
                        plan::reason(*plan, base::Rank(rank)));
  }
  return text;
}

// Host k of the 10.0.0.0/24 network: eth0, or from the second host on ens5, beside a docker bridge.
// This machine is 10.0.0.100 there.
model::HostFacts facts(std::size_t k, const model::Carrier& carrier) {
  const bool remote = !carrier.same_machine;
  const std::string address = fmt::format("10.0.0.{}", remote ? k + 1 : 100);
  model::HostFacts facts;
  facts.hostname = fmt::format("machine{}", k);
  facts.cpus.usable = 16;
  facts.interfaces = {{"docker0", "172.17.0.1"}, {k == 0 ? "eth0" : "ens5", address}};
  if (remote) facts.reached_at = address;
  if (remote) facts.head_address = "10.0.0.100";
  facts.port = 41234;
  facts.rank_ports = {41235, 41236};
  return facts;
}

std::string environment_text(const model::JobSpec& spec, const std::vector<std::string>& shell,
                             base::Rank rank, bool dry) {
  const auto plan = planned(spec);
  if (!plan) return base::to_string(plan.error());
  std::vector<std::optional<model::HostFacts>> known(plan->nodes.size());
  for (std::size_t i = 0; i < known.size() && !dry; ++i)
    known[i] = facts(i, plan->nodes[i].host.carrier);
  const model::Host& host = plan->nodes[plan->ranks[rank.value].node.value].host;
  const plan::Machine machine =
      host.carrier.same_machine ? plan::Machine::same : plan::Machine::another;
  const auto kept = plan::forwarded(shell, spec.apps.front(), spec.environment, machine);
  if (!kept) return base::to_string(kept.error());
  std::string text;
  const auto add = [&](const model::Variable& variable) {
    text += fmt::format("{}={}  ({})\n", variable.name, variable.value, variable.why);
  };
  for (const auto& variable : kept->kept) add(variable);
  const auto where = plan::rendezvous(*plan, known);
  for (const auto& variable : plan::dialects(*plan, where, *kept, "20261121-1", spec, rank)) {
    add(variable);
  }
  for (const auto& [name, why] : kept->withheld) text += fmt::format("- {}  ({})\n", name, why);
  return text;
}

const std::vector<std::string> kShell = {
    "CUDA_VISIBLE_DEVICES=0,1", "DISPLAY=:0",         "HOME=/home/me",       "LANG=C.UTF-8",
    "MASTER_ADDR=yesterday",    "NCCL_DEBUG=INFO",    "PATH=/venv/bin:/bin", "SLURM_JOB_ID=17",
    "SSH_AUTH_SOCK=/tmp/agent", "TMPDIR=/scratch/me", "VIRTUAL_ENV=/venv"};

TEST(GoldenPlan, two_hosts_by_slot) {
  expect_golden("plan/two_hosts_by_slot.txt",
                plan_text(planned(job({{"node1", 2}, {"node2", 2}}))));
}

TEST(GoldenPlan, uneven_hosts_by_node_oversubscribed) {
  auto spec = job({{"node1", 1}, {"node2", 3}, {"node1", 1}});
  spec.mapping.map_by = model::MapBy::node;
  spec.apps.front().ranks = 8;
  spec.oversubscribe = true;
  expect_golden("plan/uneven_by_node.txt", plan_text(planned(spec)));
}

TEST(GoldenPlan, laptop_with_too_many_ranks) {
  auto spec = job({});
  spec.apps.front().ranks = 10;
  expect_golden("plan/laptop.txt", plan_text(planned(spec)));
}

TEST(GoldenPlan, fake_nodes) {
  auto spec = job({});
  spec.fake_nodes = 2;
  spec.per_node = 2;
  expect_golden("plan/fake_nodes.txt", plan_text(planned(spec)));
}

TEST(GoldenPlan, no_slots) {
  auto spec = job({{"node1", 2}, {"node2", 2}});
  spec.apps.front().ranks = 5;
  expect_golden("plan/no_slots.txt", plan_text(planned(spec)));
}

TEST(GoldenEnvironment, remote_rank) {
  const auto spec = job({{"node1", 2}, {"node2", 4}});
  expect_golden("plan/environment_remote.txt",
                environment_text(spec, kShell, base::Rank(4), false));
}

TEST(GoldenEnvironment, rank_of_the_launching_host) {
  const auto spec = job({{"localhost", 2}, {"node2", 2}});
  expect_golden("plan/environment_here.txt", environment_text(spec, kShell, base::Rank(1), false));
}

TEST(GoldenEnvironment, fake_node_with_own_settings) {
  auto spec = job({});
  spec.fake_nodes = 2;
  spec.apps.front().ranks = 4;
  spec.apps.front().exports = {{"MASTER_PORT", "6105"}, {"OMP_NUM_THREADS", "2"}, {"PATH", {}}};
  spec.apps.front().clean = true;
  expect_golden("plan/environment_fake.txt", environment_text(spec, kShell, base::Rank(3), false));
}

TEST(GoldenEnvironment, dry_run_invents_nothing) {
  const auto spec = job({{"node1", 2}, {"node2", 2}});
  expect_golden("plan/environment_dry.txt", environment_text(spec, {}, base::Rank(3), true));
}

TEST(GoldenHostfile, slots_of_each_node) {
  const auto plan = planned(job({{"node1", 2}, {"node2", 4}}));
  ASSERT_TRUE(plan);
  expect_golden("plan/hostfile.txt", plan::hostfile_text(*plan));
}

model::JobSpec with_roles(model::JobSpec spec,
                          const std::vector<std::pair<const char*, std::uint32_t>>& roles) {
  const model::App app = spec.apps.front();
  spec.apps.clear();
  for (const auto& [name, ranks] : roles) {
    spec.apps.push_back(app);
    spec.apps.back().role = name;
    spec.apps.back().ranks = ranks;
  }
  EXPECT_TRUE(spec::settle_roles(spec));
  return spec;
}

TEST(GoldenPlan, environment_of_a_tensorflow_worker) {
  const auto spec = with_roles(job({{"node1", 2}, {"node2", 2}}), {{"worker", 3}, {"ps", 1}});
  expect_golden("plan/environment_tensorflow.txt",
                environment_text(spec, kShell, base::Rank(2), false));
}

TEST(GoldenPlan, environment_of_a_mindspore_worker_as_a_dry_run_tells_it) {
  const auto spec =
      with_roles(job({{"node1", 2}, {"node2", 2}}), {{"MS_SCHED", 1}, {"MS_WORKER", 3}});
  expect_golden("plan/environment_mindspore.txt",
                environment_text(spec, kShell, base::Rank(2), true));
}

}  // namespace
}  // namespace muster::golden
