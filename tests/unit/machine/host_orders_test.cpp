// What hosts are told of a world: agents make of it the very environments that the plan has, and it
// grows with the hosts, not with their square.
#include "machine/host_orders.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "machine/orders.hpp"
#include "model/carrier_opened.hpp"
#include "plan/plan.hpp"
#include "unit/plan/dialects_of.hpp"
#include "wire/frame.hpp"

namespace muster::machine::host_orders_test {
namespace {

using base::NodeIndex;
using base::Rank;
using Environment = std::map<std::string, std::string>;

std::string framed(const wire::ToAgent& message) {
  std::string bytes;
  wire::append(bytes, message);
  return bytes;
}

template <class Message>
Message sent(const Message& message) {
  wire::AgentReader reader;
  reader.feed(framed(message));
  auto read = reader.next();
  if (!read || !*read) {
    ADD_FAILURE() << (read ? "nothing came" : read.error().what);
    return {};
  }
  return std::get<Message>(**read);
}

void add(Environment& environment, const std::vector<model::Variable>& variables) {
  for (const model::Variable& one : variables) {
    EXPECT_TRUE(environment.emplace(one.name, one.value).second) << one.name << " twice";
  }
}

// Three hosts, of which the first is this machine, with three, one and two ranks.
class HostOrdersTest : public testing::Test {
 protected:
  HostOrdersTest() {
    spec_.apps.front().command = {"program", "-${local_rank}"};
    inventory_.source = model::kHostsListed;
    for (const auto& [name, slots] : {std::pair{"a", 3U}, {"b", 1U}, {"c", 2U}}) {
      model::Host& host = inventory_.hosts.emplace_back();
      host.name = name;
      host.slots = slots;
      host.carrier = inventory_.hosts.size() == 1 ? model::kLocal : model::kOpened;
    }
  }

  // With ranks placed, and facts of each host.
  void place() {
    auto placed = plan::place(spec_, inventory_);
    ASSERT_TRUE(placed) << placed.error().what;
    plan_ = *placed;
    ASSERT_EQ(plan_.ranks.size(), ranks_);
    ASSERT_EQ(plan_.nodes.size(), 3U);
    std::vector<std::optional<model::HostFacts>> facts;
    for (std::uint16_t node = 0; node < plan_.nodes.size(); ++node) {
      model::HostFacts& known = facts.emplace_back(model::HostFacts()).value();
      known.hostname = plan_.nodes[node].host.name;
      known.cpus = {8U + node, node == 2};
      known.interfaces = {{"eth" + std::to_string(node), "10.0.0." + std::to_string(node + 1)}};
      known.reached_at = known.interfaces.front().address;
      known.head_address = "10.0.0.1";
      known.port = static_cast<std::uint16_t>(4000 + node);
      known.rdma = node == 1;
      known.devices = {{"CUDA_VISIBLE_DEVICES", {"0", "1", "2", "3", "4", "5"}}};
      for (std::uint16_t local = 0; local < plan_.nodes[node].ranks.size(); ++local) {
        known.rank_ports.push_back(static_cast<std::uint16_t>(5000 + 10 * node + local));
      }
    }
    where_ = plan::rendezvous(plan_, facts);
    where_.point.gloo_address = "10.0.0.1";
    where_.point.gloo_port = "3999";
    where_.point.deadline = "1700000000";
    where_.point.round = 2;
    placed_.world.size = static_cast<std::uint32_t>(plan_.ranks.size());
    for (std::uint32_t i = 0; i < plan_.nodes.size(); ++i) placed_.nodes.emplace_back(i);
  }

  [[nodiscard]] plan::Kept kept() const {
    plan::Kept all;
    for (const model::App& app : spec_.apps) {
      all.same_machine.push_back(plan::forwarded(shell_, app, {}, plan::Machine::same).value());
      all.elsewhere.push_back(plan::forwarded(shell_, app, {}, plan::Machine::another).value());
    }
    return all;
  }

  // As the agent of the node makes it of the bytes that it gets.
  HostOrders orders(NodeIndex node) {
    const plan::Kept all = kept();
    const OrdersFor world{spec_, plan_, where_, all, job_, placed_};
    for (const ToNodes& told : told_to_all(world)) {
      if (std::ranges::count(told.nodes, node) == 0) continue;
      const auto& message = std::get<wire::World>(told.message);
      EXPECT_TRUE(sent(message) == message);
      return host_orders(sent(message), sent(told_to(node, world, {Rank(1)}))).value();
    }
    ADD_FAILURE() << "nothing is told to node " << node.value;
    return {};
  }

  void expect_planned_environments() {
    place();
    for (const model::PlannedNode& node : plan_.nodes) {
      const NodeIndex at = plan_.ranks[node.ranks.front().value].node;
      const plan::Kept both = kept();
      const std::vector<plan::Forwarded>& all = both.on(node.host);
      const HostOrders got = orders(at);
      ASSERT_EQ(got.tasks.size(), node.ranks.size());
      for (const TaskOrder& task : got.tasks) {
        Environment planned, made, shell;
        add(planned, plan::dialects(plan_, where_, all[task.app], job_, spec_, task.rank));
        add(made, got.apps[task.app].given);
        add(made, got.given(task));
        EXPECT_EQ(made, planned) << "of rank " << task.rank.value;
        EXPECT_EQ(task.app, plan_.ranks[task.rank.value].app);
        EXPECT_EQ(task.cpus, plan_.cpus_of(task.rank));
        for (const wire::NameValue& one : got.apps[task.app].kept) shell[one.name] = one.value;
        EXPECT_EQ(shell.size(), all[task.app].kept.size());
        for (const model::Variable& one : all[task.app].kept) EXPECT_EQ(shell[one.name], one.value);
      }
    }
  }

  std::uint32_t ranks_ = 6;
  model::JobSpec spec_;
  model::Inventory inventory_;
  model::Plan plan_;
  plan::Rendezvous where_;
  PlacedWorld placed_{{1, Rank(0), 0}, "muster_job", "(vector,(0,3,1))"};
  std::string job_ = "job-7";
  std::vector<std::string> shell_ = {"A=b", "DISPLAY=:0", "PATH=/bin", "PYTHONUNBUFFERED=0"};
};

TEST_F(HostOrdersTest, HaveTheEnvironmentsOfThePlan) { expect_planned_environments(); }

TEST_F(HostOrdersTest, HaveThoseOfRanksByNode) {
  spec_.mapping.map_by = model::MapBy::node;
  spec_.max_restarts = 3;
  spec_.deepspeed = true;
  expect_planned_environments();
}

TEST_F(HostOrdersTest, HaveThoseOfRanksThatMayStartWorkers) {
  spec_.apps.front().ranks = ranks_ = 3;
  spec_.per_node = 1;
  expect_planned_environments();
  spec_.lone_ranks_start_workers = true;
  expect_planned_environments();
}

TEST_F(HostOrdersTest, HaveThoseOfTorchAndItsThreads) {
  spec_.torch.emplace().own_id = true;
  shell_.emplace_back("OMP_NUM_THREADS=3");
  spec_.apps.front().exports = {{"MASTER_ADDR", "there"}, {"NCCL_SOCKET_IFNAME", "ib0"}};
  expect_planned_environments();
}

TEST_F(HostOrdersTest, HaveThoseOfRolesWithPorts) {
  spec_.roles = model::Roles::tensorflow;
  spec_.apps.front().ranks = 4;
  spec_.apps.front().role = "worker";
  spec_.apps.push_back(spec_.apps.front());
  spec_.apps.back().ranks = 2;
  spec_.apps.back().role = "ps";
  spec_.apps.back().exports = {{"OWN", "of the second"}};
  expect_planned_environments();
}

TEST_F(HostOrdersTest, HaveThoseOfGlooAndDevices) {
  spec_.gloo = {"", true};
  spec_.gpus_per_rank = 2;
  inventory_.hosts[1].visible = "7";
  expect_planned_environments();
}

TEST_F(HostOrdersTest, HaveWhereMemoryComesFrom) {
  spec_.mapping.memory = {.mode = model::MemoryMode::bind, .nodes = model::CpuSet::of(1)};
  place();
  EXPECT_EQ(orders(NodeIndex(1)).memory, spec_.mapping.memory);
}

TEST_F(HostOrdersTest, HaveTheCpusThatRanksAreBoundTo) {
  place();
  plan_.sets = {model::CpuSet::range(0, 1), model::CpuSet::range(2, 3), model::CpuSet::of(7)};
  plan_.ranks[0].binding = 2;
  plan_.ranks[2].binding = 1;
  const HostOrders got = orders(NodeIndex(0));
  EXPECT_EQ(got.tasks[0].cpus, model::CpuSet::of(7));
  EXPECT_EQ(got.tasks[1].cpus, model::CpuSet());
  EXPECT_EQ(got.tasks[2].cpus, model::CpuSet::range(2, 3));
}

TEST_F(HostOrdersTest, SayTheirOwnWordsAndInput) {
  spec_.apps.front().local_rank_words = {1, 1};
  place();
  const HostOrders got = orders(NodeIndex(0));
  EXPECT_EQ(got.tasks[2].command, (std::vector<std::string>{"program", "-2"}));
  EXPECT_FALSE(got.tasks[0].input);
  EXPECT_TRUE(got.tasks[1].input);
  EXPECT_EQ(got.hostfile, plan::hostfile_text(plan_));
  EXPECT_EQ(got.wireup.mapping, "(vector,(0,3,1))");
}

TEST_F(HostOrdersTest, OtherHostsGetLessOfTheShell) {
  place();
  const auto has_display = [&](NodeIndex node) {
    const auto made = orders(node);
    return std::ranges::count(made.apps.front().kept, "DISPLAY", &wire::NameValue::name) > 0;
  };
  EXPECT_TRUE(has_display(NodeIndex(0)));
  EXPECT_FALSE(has_display(NodeIndex(1)));
}

struct Sizes {
  std::size_t common = 0;
  std::size_t own = 0;  // the largest
};

// A job of 100 variables with eight ranks on each of so many hosts.
Sizes sizes(std::uint32_t hosts) {
  model::JobSpec spec;
  spec.apps.front().command = {"python3", "train.py"};
  model::Plan plan;
  std::vector<std::optional<model::HostFacts>> facts;
  PlacedWorld placed{{1, Rank(0), 8 * hosts}, "muster_job", "(vector,(0,1,8))"};
  plan::Kept kept;
  kept.elsewhere.resize(1);
  for (int i = 100; i < 200; ++i) {
    kept.elsewhere[0].kept.push_back(
        {"VARIABLE_" + std::to_string(i), std::string(40, 'v'), "shell"});
  }
  for (std::uint32_t i = 0; i < hosts; ++i) {
    model::PlannedNode& node = plan.nodes.emplace_back();
    node.host.name = "node-" + std::to_string(i);
    node.host.carrier = model::kOpened;
    for (std::uint32_t local = 0; local < 8; ++local) {
      node.ranks.emplace_back(plan.ranks.size());
      plan.ranks.push_back({NodeIndex(i), local});
    }
    model::HostFacts& known = facts.emplace_back(model::HostFacts()).value();
    known.reached_at = "10.0." + std::to_string(i / 256) + "." + std::to_string(i % 256);
    known.interfaces = {{"eth0", known.reached_at}};
    placed.nodes.emplace_back(i);
  }
  const plan::Rendezvous where = plan::rendezvous(plan, facts);
  const std::string job = "job-7";
  const OrdersFor world{spec, plan, where, kept, job, placed};
  const std::vector<ToNodes> told = told_to_all(world);
  EXPECT_EQ(told.size(), 1U);
  Sizes all{framed(told.front().message).size(), 0};
  for (std::uint32_t i = 0; i < hosts; ++i) {
    all.own = std::max(all.own, framed(told_to(NodeIndex(i), world, {})).size());
  }
  return all;
}

TEST(SizeOfOrders, GrowsWithTheHosts) {
  const Sizes some = sizes(1000);
  const Sizes twice = sizes(2000);
  EXPECT_LT(some.common, 64U << 10);
  EXPECT_LT(twice.common, 2 * some.common);
  EXPECT_LT(some.own, 100U);
  EXPECT_LE(twice.own, some.own + 2);
}

}  // namespace
}  // namespace muster::machine::host_orders_test
