// TF_CONFIG and MindSpore's variables: who is listed where, under which port.
#include "plan/roles.hpp"

#include <gtest/gtest.h>
#include <map>

#include "model/carriers.hpp"
#include "plan/plan.hpp"
#include "unit/plan/dialects_of.hpp"

namespace muster::plan {
namespace {

using base::Rank;
using Variables = std::map<std::string, std::string>;

// Two ssh hosts with three slots each; ports of the first from 7000, of the second from 8000.
class Roles : public testing::Test {
 protected:
  void make(const std::vector<std::pair<const char*, std::uint32_t>>& roles) {
    spec_.apps.clear();
    for (const auto& [name, ranks] : roles) {
      model::App& app = spec_.apps.emplace_back();
      app.command = {"train"};
      app.role = name;
      app.ranks = ranks;
    }
    const bool mindspore = spec_.apps.front().role.starts_with("MS_");
    spec_.roles = mindspore ? model::Roles::mindspore : model::Roles::tensorflow;
    model::Inventory inventory;
    inventory.source = model::kHostsListed;
    for (const char* name : {"a", "b"}) {
      inventory.hosts.push_back({name, "", 0, model::kOpened, 3, {}, {}, {"-H", 0, 0}});
    }
    plan_ = *place(spec_, inventory);
    std::vector<std::optional<model::HostFacts>> facts(plan_.nodes.size());
    for (std::uint16_t i = 0; i < facts.size(); ++i) {
      const auto port = static_cast<std::uint16_t>(7000 + 1000 * i);
      facts[i].emplace();
      facts[i]->reached_at = addresses_[i];
      facts[i]->rank_ports = {port, static_cast<std::uint16_t>(port + 1),
                              static_cast<std::uint16_t>(port + 2)};
    }
    where_ = rendezvous(plan_, facts);
  }

  [[nodiscard]] std::string config(std::uint32_t rank) const {
    return tf_config(spec_, plan_, where_, Rank(rank));
  }

  [[nodiscard]] Variables mindspore(std::uint32_t rank) const {
    Variables found;
    for (const auto& one : dialects(plan_, where_, {}, "job", spec_, Rank(rank))) {
      if (one.why == "MindSpore") found[one.name] = one.value;
    }
    return found;
  }

  std::vector<std::string> addresses_ = {"10.0.0.1", "10.0.0.2"};
  model::JobSpec spec_;
  model::Plan plan_;
  Rendezvous where_;
};

TEST_F(Roles, WorkersAlone) {
  make({{"worker", 4}});
  EXPECT_EQ(config(0), R"({"cluster": {"worker": ["10.0.0.1:7000", "10.0.0.1:7001", )"
                       R"("10.0.0.1:7002", "10.0.0.2:8000"]}, )"
                       R"("task": {"type": "worker", "index": 0}, "environment": "cloud"})");
  EXPECT_TRUE(
      config(3).ends_with(R"("task": {"type": "worker", "index": 3}, "environment": "cloud"})"));
}

TEST_F(Roles, EvaluatorsAreNotPartOfTheCluster) {
  make({{"chief", 1}, {"worker", 1}, {"ps", 1}, {"evaluator", 1}});
  EXPECT_EQ(config(3), R"({"cluster": {"chief": ["10.0.0.1:7000"], "worker": ["10.0.0.1:7001"], )"
                       R"("ps": ["10.0.0.1:7002"]}, )"
                       R"("task": {"type": "evaluator", "index": 0}, "environment": "cloud"})");
}

// TensorFlow takes worker 0 for the chief then (multi_worker_util.is_chief), by its type and index
// alone: a chief of muster's making would be a task that nobody runs.
TEST_F(Roles, NobodyIsMadeAChief) {
  make({{"worker", 2}, {"ps", 1}});
  const std::string cluster =
      R"({"cluster": {"worker": ["10.0.0.1:7000", "10.0.0.1:7001"], "ps": ["10.0.0.1:7002"]}, )";
  EXPECT_EQ(config(0),
            cluster + R"("task": {"type": "worker", "index": 0}, "environment": "cloud"})");
  EXPECT_EQ(config(2), cluster + R"("task": {"type": "ps", "index": 0}, "environment": "cloud"})");
}

TEST_F(Roles, ARoleOfTwoProgramsIsOneList) {
  make({{"worker", 1}, {"ps", 1}, {"worker", 1}});
  EXPECT_EQ(config(2), R"({"cluster": {"worker": ["10.0.0.1:7000", "10.0.0.1:7002"], )"
                       R"("ps": ["10.0.0.1:7001"]}, )"
                       R"("task": {"type": "worker", "index": 1}, "environment": "cloud"})");
}

TEST_F(Roles, LightRanksShareTheSlotsOfTheOthers) {
  const auto nodes = [&] {
    std::string text;
    for (const model::PlannedRank& rank : plan_.ranks)
      text += plan_.nodes[rank.node.value].host.name;
    return text;
  };
  make({{"worker", 6}, {"ps", 1}, {"evaluator", 1}});
  EXPECT_EQ(nodes(), "abababab");
  make({{"MS_SCHED", 1}, {"MS_WORKER", 6}});
  EXPECT_EQ(nodes(), "abababa");
  make({{"worker", 4}, {"ps", 2}});
  EXPECT_EQ(nodes(), "aaabbb") << "there are slots for all";
}

TEST_F(Roles, ARankThatIsNotLightNeedsItsSlot) {
  spec_.apps.clear();
  for (const auto& [role, ranks] : {std::pair("worker", 3U), std::pair("ps", 1U)}) {
    model::App& app = spec_.apps.emplace_back();
    app.command = {"train"};
    app.role = role;
    app.ranks = ranks;
  }
  spec_.roles = model::Roles::tensorflow;
  model::Inventory two;
  two.source = model::kHostsListed;
  for (const char* name : {"a", "b"}) {
    two.hosts.push_back({name, "", 0, model::kOpened, 1, {}, {}, {"-H", 0, 0}});
  }
  const auto placed = place(spec_, two);
  ASSERT_FALSE(placed);
  EXPECT_EQ(placed.error().what, "4 ranks wanted, but 2 hosts have 2 slots");
  EXPECT_EQ(placed.error().hint,
            "give the hosts more slots (HOST:N), or add --oversubscribe to share cores");
  spec_.of_job_file = true;
  EXPECT_EQ(place(spec_, two).error().hint,
            "give the hosts more slots (HOST:N); to share cores: oversubscribe: true in "
            "muster.yml");
  spec_.oversubscribe = true;
  for (model::Host& host : two.hosts) host.max_slots = 1;
  EXPECT_EQ(place(spec_, two).error().hint, "ask for 2 or less");
}

TEST_F(Roles, AddressesOfIpv6StandInBrackets) {
  addresses_ = {"fd00::1", "fd00::2"};
  make({{"worker", 1}});
  EXPECT_NE(config(0).find(R"(["[fd00::1]:7000"])"), std::string::npos) << config(0);
}

TEST_F(Roles, WithoutFactsEachPortHasAPlaceholderOfItsOwn) {
  make({{"worker", 4}});
  where_ = rendezvous(plan_, std::vector<std::optional<model::HostFacts>>(2));
  EXPECT_NE(config(0).find(R"("<address of a>:<port 1 of a>", )"), std::string::npos) << config(0);
  EXPECT_NE(config(0).find(R"("<address of b>:<port 0 of b>"])"), std::string::npos) << config(0);
}

TEST_F(Roles, AHostThatCallsItselfOddlyBreaksNothing) {
  addresses_ = {"a\"\\\n", "b"};
  make({{"worker", 1}});
  EXPECT_NE(config(0).find(R"(["a\"\\:7000"])"), std::string::npos) << config(0);
}

TEST_F(Roles, EveryRankNeedsAPort) {
  make({{"worker", 4}});
  EXPECT_EQ(ports_wanted(spec_, plan_.nodes[0]), 3U);
  EXPECT_EQ(ports_wanted(spec_, plan_.nodes[1]), 1U);
  EXPECT_TRUE(check_ports(spec_, plan_, where_));
  where_.rank_ports[0]->pop_back();
  const auto checked = check_ports(spec_, plan_, where_);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().what, "a: its agent claimed 2 ports for 3 ranks");
}

TEST_F(Roles, JobsWithoutRolesNeedNoPorts) {
  make({{"worker", 4}});
  spec_.roles = model::Roles::none;
  EXPECT_EQ(ports_wanted(spec_, plan_.nodes[0]), 0U);
  where_.rank_ports[0].reset();
  EXPECT_TRUE(check_ports(spec_, plan_, where_));
}

TEST_F(Roles, MindSporeKnowsItsSchedulerWorkersAndServers) {
  make({{"MS_WORKER", 3}, {"MS_SCHED", 1}, {"MS_PSERVER", 1}});
  const Variables all = {{"MS_SCHED_HOST", "10.0.0.2"}, {"MS_SCHED_PORT", "8000"},
                         {"MS_SERVER_NUM", "1"},        {"MS_TOPO_TIMEOUT", "600"},
                         {"MS_WORKER_NUM", "3"},        {"RANK_SIZE", "3"}};
  Variables worker = all;
  worker.insert({{"MS_ROLE", "MS_WORKER"},
                 {"MS_NODE_ID", "2"},
                 {"MS_WORKER_IP", "10.0.0.1"},
                 {"RANK_ID", "2"},
                 {"DEVICE_ID", "2"}});
  EXPECT_EQ(mindspore(2), worker);
  Variables scheduler = all;
  scheduler.insert({{"MS_ROLE", "MS_SCHED"}, {"RANK_ID", "0"}});
  EXPECT_EQ(mindspore(3), scheduler);
}

TEST_F(Roles, MindSporesWorkersAreCountedWithoutTheScheduler) {
  make({{"MS_SCHED", 1}, {"MS_WORKER", 4}});
  const auto numbers = [&](std::uint32_t rank) {
    Variables all = mindspore(rank);
    return all["RANK_ID"] + " " + all["DEVICE_ID"] + " " + all["MS_WORKER_IP"];
  };
  EXPECT_EQ(numbers(1), "0 0 10.0.0.1");
  EXPECT_EQ(numbers(2), "1 1 10.0.0.1");
  EXPECT_EQ(numbers(3), "2 0 10.0.0.2");
  EXPECT_EQ(numbers(4), "3 1 10.0.0.2");
  for (const auto& one : dialects(plan_, where_, {}, "job", spec_, Rank(1))) {
    EXPECT_FALSE(one.name.starts_with("OMPI_COMM_WORLD_")) << "it would take these for its own";
  }
}

// Its workers are started by it, and numbered by what it sets.
TEST_F(Roles, MsrunInARankHasNoNumbersOfOpenMpi) {
  make({{"worker", 2}});
  spec_.roles = model::Roles::none;
  const auto has_any = [&] {
    const auto all = dialects(plan_, where_, {}, "job", spec_, Rank(0));
    return std::ranges::any_of(
        all, [](const auto& one) { return one.name.starts_with("OMPI_COMM_WORLD_"); });
  };
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"msrun", "--worker_num", "8", "train.py"}, Words{"/opt/bin/msrun", "train.py"},
        Words{"sh", "-c", "cd x && msrun --worker_num=8 train.py"}}) {
    spec_.apps.front().command = words;
    EXPECT_FALSE(has_any()) << words.front();
  }
  for (const Words& words : {Words{"sh", "-c", "cat msrun.log; python train.py"},
                             Words{"sh", "train.sh", "--out", "/data/msrun"}}) {
    spec_.apps.front().command = words;
    EXPECT_TRUE(has_any()) << words.back();
  }
}

TEST_F(Roles, AWorkerOfMindSporeWithOwnDevicesUsesTheFirst) {
  spec_.gpus_per_rank = 1;
  make({{"MS_SCHED", 1}, {"MS_WORKER", 2}});
  EXPECT_EQ(mindspore(2).count("DEVICE_ID"), 0U);
  EXPECT_EQ(mindspore(2).count("RANK_ID"), 1U);
}

TEST_F(Roles, TensorFlowsJobsHaveNothingOfMindSpore) {
  make({{"worker", 2}});
  EXPECT_EQ(mindspore(0), Variables());
}

}  // namespace
}  // namespace muster::plan
