// The variables of a rank in every dialect, and when the user's own win.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "model/carriers.hpp"
#include "plan/environment.hpp"
#include "plan/plan.hpp"
#include "unit/plan/dialects_of.hpp"

namespace muster::plan {
namespace {

using base::Rank;

// Three ssh hosts with 3, 1 and 2 ranks.
class Dialects : public ::testing::Test {
 protected:
  Dialects() {
    spec_.apps.front().command = {"app"};
    model::Inventory inventory;
    inventory.source = model::kHostsListed;
    for (const auto& [name, slots] : {std::pair{"a", 3U}, {"b", 1U}, {"c", 2U}}) {
      inventory.hosts.push_back({name, "", 0, model::kOpened, slots, {}, {}, {"-H", 0, 0}});
    }
    plan_ = *place(spec_, inventory);
    where_ = {{"10.0.0.1", "4242", {"10.0.0.1", "10.0.0.2", "10.0.0.3"}},
              {"eth0", "ens5", ""},
              {model::Cpus{8}, model::Cpus{2, true}, std::nullopt},
              {"", "", ""},
              {false, true, false}};
    where_.point.among_hosts = true;
  }

  // With the shell and exports of `shell` and spec_.
  std::map<std::string, std::string> of(std::uint32_t rank,
                                        const std::vector<std::string>& shell = {}) {
    const auto kept = forwarded(shell, spec_.apps.front(), spec_.environment, Machine::another);
    EXPECT_TRUE(kept);
    const auto variables = dialects(plan_, where_, *kept, "job-7", spec_, Rank(rank));
    EXPECT_TRUE(std::ranges::is_sorted(variables, {}, &model::Variable::name));
    std::map<std::string, std::string> result;
    for (const auto& [name, value, why] : variables) {
      EXPECT_FALSE(why.empty());
      EXPECT_TRUE(result.emplace(name, value).second) << name << " twice";
    }
    return result;
  }

  using Names = std::vector<std::string>;
  std::vector<Withheld> withheld() {
    const auto kept = forwarded({}, spec_.apps.front(), spec_.environment, Machine::another);
    const std::string job = "job-7";
    return plan::left_out({plan_, where_, spec_, job}, *kept);
  }
  Names left_out() {
    Names names;
    for (const Withheld& one : withheld()) {
      EXPECT_FALSE(one.why.empty());
      names.push_back(one.name);
    }
    return names;
  }

  // The first of each.
  void one_rank_a_node() {
    plan_.ranks.clear();
    for (std::uint32_t i = 0; i < plan_.nodes.size(); ++i) {
      plan_.nodes[i].ranks = {Rank(i)};
      plan_.ranks.push_back({base::NodeIndex(i), 0});
    }
  }

  model::JobSpec spec_;
  model::Plan plan_;
  Rendezvous where_;
};

TEST_F(Dialects, torch) {
  const auto env = of(4);
  EXPECT_EQ(env.at("RANK"), "4");
  EXPECT_EQ(env.at("WORLD_SIZE"), "6");
  EXPECT_EQ(env.at("LOCAL_RANK"), "0");
  EXPECT_EQ(env.at("LOCAL_WORLD_SIZE"), "2");
  EXPECT_EQ(env.at("NODE_RANK"), "2");
  EXPECT_EQ(env.at("GROUP_RANK"), "2");
  EXPECT_EQ(env.at("GROUP_WORLD_SIZE"), "3");
  EXPECT_EQ(env.at("ROLE_RANK"), "4");
  EXPECT_EQ(env.at("ROLE_WORLD_SIZE"), "6");
  EXPECT_EQ(env.at("ROLE_NAME"), "default");
  EXPECT_EQ(env.at("MASTER_ADDR"), "10.0.0.1");
  EXPECT_EQ(env.at("MASTER_PORT"), "4242");
}

TEST_F(Dialects, what_is_not_wanted_is_not_set) {
  const auto all = of(3);
  spec_.environment.unset = {"LOCAL_RANK", "HOROVOD_LOCAL_*", "MUSTER_*", "NOT_THERE"};
  auto some = of(3);
  for (const char* name : {"LOCAL_RANK", "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE"}) {
    EXPECT_TRUE(all.contains(name)) << name;
    EXPECT_FALSE(some.contains(name)) << name;
  }
  EXPECT_EQ(some.size() + 3, all.size());
  EXPECT_EQ(left_out(), (Names{"HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE", "LOCAL_RANK"}));
  spec_.environment = {{}, Names{"jax", "torch"}};
  some = of(3);
  EXPECT_FALSE(some.contains("JAX_PROCESS_ID"));
  EXPECT_FALSE(some.contains("RANK"));
  EXPECT_EQ(some.at("OMPI_COMM_WORLD_RANK"), "3");
  EXPECT_EQ(left_out().size() + some.size(), all.size());
  spec_.apps.front().exports = {{"RANK", "9"}};
  EXPECT_EQ(std::ranges::count(left_out(), "RANK"), 0) << "the user has set it";
}

// Each dialect of a variable is one that can be left out, or is for all frameworks.
TEST_F(Dialects, all_of_them_have_names) {
  const std::set<std::string_view> for_all = {"--gpus-per-rank", "network", "threads", "python",
                                              "muster"};
  spec_.torch.emplace();
  spec_.deepspeed = true;
  std::set<std::string_view> titles;
  for (const model::DialectName& one : model::kDialects) titles.insert(one.title);
  const auto kept = forwarded({}, spec_.apps.front(), spec_.environment, Machine::another);
  for (const auto& one : dialects(plan_, where_, *kept, "job-7", spec_, Rank(0))) {
    EXPECT_TRUE(titles.contains(one.why) || for_all.contains(one.why)) << one.name;
  }
}

TEST_F(Dialects, torchrun_has_its_own) {
  EXPECT_EQ(of(0).count("TORCHELASTIC_RUN_ID"), 0U);
  spec_.torch = model::TorchSpec{.run_id = "r7", .max_restarts = 3};
  spec_.apps.front().role = "trainer";
  const auto env = of(0);
  EXPECT_EQ(env.at("TORCHELASTIC_RUN_ID"), "r7");
  EXPECT_EQ(env.at("TORCHELASTIC_MAX_RESTARTS"), "3");
  EXPECT_EQ(env.at("TORCHELASTIC_RESTART_COUNT"), "0");
  EXPECT_EQ(env.at("TORCHELASTIC_USE_AGENT_STORE"), "False");
  EXPECT_EQ(env.at("NCCL_ASYNC_ERROR_HANDLING"), "1");
  EXPECT_EQ(env.at("ROLE_NAME"), "trainer");
  EXPECT_EQ(env.at("OMP_NUM_THREADS"), "1");
  EXPECT_EQ(env.count("MKL_NUM_THREADS"), 0U);
  EXPECT_EQ(of(3).count("OMP_NUM_THREADS"), 0U) << "one rank on that host";
  EXPECT_EQ(of(0, {"OMP_NUM_THREADS=4"}).count("OMP_NUM_THREADS"), 0U);
  EXPECT_EQ(of(0, {"MKL_NUM_THREADS=4"}).at("OMP_NUM_THREADS"), "1");
  EXPECT_EQ(of(0, {"NCCL_ASYNC_ERROR_HANDLING=0"}).count("NCCL_ASYNC_ERROR_HANDLING"), 0U);
  spec_.torch->own_id = true;
  EXPECT_EQ(of(0).at("TORCHELASTIC_RUN_ID"), "job-7");
}

TEST_F(Dialects, jax_is_told_where_rank_0_listens) {
  const auto env = of(4);
  EXPECT_EQ(env.at("JAX_COORDINATOR_ADDRESS"), "10.0.0.1:4242");
  EXPECT_EQ(env.at("JAX_NUM_PROCESSES"), "6");
  EXPECT_EQ(env.at("JAX_PROCESS_ID"), "4");
}

// The name alone makes JAX look for Open MPI, whose ranks take one device each.
TEST_F(Dialects, jax_sees_open_mpi_where_its_ranks_shall_have_one_device) {
  const std::string name = "OMPI_MCA_orte_hnp_uri";
  EXPECT_EQ(of(0, {name + "=1.0;tcp://10.0.0.9:5"}).at(name), "") << "another launcher's";
  EXPECT_EQ(of(3).at(name), "") << "alone on its node, but others are not";
  spec_.gpus_per_rank = 1;
  EXPECT_FALSE(of(0).contains(name)) << "the only one it sees has the number 0";
  spec_.gpus_per_rank = 0;
  spec_.wireup = model::Wireup::none;
  EXPECT_FALSE(of(0).contains(name));
  spec_.wireup = model::Wireup::automatic;
  one_rank_a_node();
  EXPECT_FALSE(of(0).contains(name)) << "it shall have all devices";
  spec_.lone_ranks_start_workers = true;
  EXPECT_EQ(of(0).at(name), "") << "as under mpirun";
  plan_.ranks.resize(1);
  plan_.nodes.resize(1);
  EXPECT_FALSE(of(0).contains(name)) << "all alone, it shall have all devices";
}

TEST_F(Dialects, ranks_that_may_start_workers_have_no_local_rank) {
  spec_.lone_ranks_start_workers = true;
  EXPECT_EQ(of(3).at("LOCAL_RANK"), "0") << "alone on its node, but others are not";
  EXPECT_TRUE(left_out().empty());
  one_rank_a_node();
  const auto env = of(1);
  EXPECT_FALSE(env.contains("LOCAL_RANK"));
  for (const char* name : {"RANK", "WORLD_SIZE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT"}) {
    EXPECT_TRUE(env.contains(name)) << name;
  }
  const std::string why = "each node has one rank, which may start workers of its own there";
  EXPECT_EQ(withheld(), (std::vector<Withheld>{{"LOCAL_RANK", why}}));
  spec_.apps.front().exports = {{"LOCAL_RANK", "0"}};
  EXPECT_TRUE(left_out().empty()) << "the user has set it";
  spec_.apps.front().exports.clear();
  spec_.lone_ranks_start_workers = false;
  EXPECT_EQ(of(1).at("LOCAL_RANK"), "0");
}

// Whoever reads MLflow's file store wants to know which rank made a run.
TEST_F(Dialects, mlflow_runs_of_a_file_store_are_tagged) {
  EXPECT_FALSE(of(4).contains("MLFLOW_RUN_CONTEXT"));
  EXPECT_FALSE(of(4, {"MLFLOW_TRACKING_URI=http://x"}).contains("MLFLOW_RUN_CONTEXT"));
  const auto env = of(4, {"MLFLOW_TRACKING_URI=file:///a"});
  EXPECT_EQ(env.at("MLFLOW_RUN_CONTEXT"), R"({"muster.rank": "4"})");
  EXPECT_FALSE(of(4, {"MLFLOW_RUN_CONTEXT={}", "MLFLOW_TRACKING_URI=file:///a"})
                   .contains("MLFLOW_RUN_CONTEXT"));
}

TEST(IsDefault, OfWhatUsersMaySetThemselves) {
  EXPECT_TRUE(is_default("OMP_NUM_THREADS"));
  EXPECT_TRUE(is_default("NCCL_SOCKET_IFNAME"));
  EXPECT_FALSE(is_default("RANK"));
  EXPECT_FALSE(is_default("PATH"));
}

TEST_F(Dialects, open_mpi_tells_of_one_program) {
  spec_.apps.front().command = {"app", "-v", "two words"};
  const auto env = of(5);
  EXPECT_EQ(env.at("OMPI_NUM_APP_CTX"), "1");
  EXPECT_EQ(env.at("OMPI_FIRST_RANKS"), "0");
  EXPECT_EQ(env.at("OMPI_APP_CTX_NUM_PROCS"), "6");
  EXPECT_EQ(env.at("OMPI_COMMAND"), "app");
  EXPECT_EQ(env.at("OMPI_ARGV"), "-v two words");
}

TEST_F(Dialects, open_mpi_tells_of_several_programs) {
  spec_.apps.resize(2);
  spec_.apps.front().command = {"master"};
  spec_.apps.back().command = {"worker", "-v"};
  for (std::uint32_t rank = 2; rank < plan_.ranks.size(); ++rank) plan_.ranks[rank].app = 1;
  const auto env = of(5);
  EXPECT_EQ(env.at("OMPI_NUM_APP_CTX"), "2");
  EXPECT_EQ(env.at("OMPI_FIRST_RANKS"), "0 2");
  EXPECT_EQ(env.at("OMPI_APP_CTX_NUM_PROCS"), "2 4");
  EXPECT_EQ(env.at("OMPI_COMMAND"), "worker");
  EXPECT_EQ(of(0).at("OMPI_COMMAND"), "master");
  EXPECT_EQ(of(0).count("OMPI_ARGV"), 0u);
}

TEST_F(Dialects, open_mpi_and_mpich) {
  const auto env = of(5);
  EXPECT_EQ(env.at("OMPI_COMM_WORLD_RANK"), "5");
  EXPECT_EQ(env.at("OMPI_COMM_WORLD_SIZE"), "6");
  EXPECT_EQ(env.at("OMPI_COMM_WORLD_LOCAL_RANK"), "1");
  EXPECT_EQ(env.at("OMPI_COMM_WORLD_LOCAL_SIZE"), "2");
  EXPECT_EQ(env.at("OMPI_COMM_WORLD_NODE_RANK"), "1");
  EXPECT_EQ(env.at("OMPI_UNIVERSE_SIZE"), "6");
  EXPECT_EQ(env.at("MPI_LOCALRANKID"), "1");
  EXPECT_EQ(env.at("MPI_LOCALNRANKS"), "2");
}

TEST_F(Dialects, never_speaks_for_a_server_that_is_not_there) {
  for (const auto& variable : of(0)) {
    for (const char* prefix : {"PMI", "SLURM_", "TORCHELASTIC_"}) {
      EXPECT_FALSE(variable.first.starts_with(prefix)) << variable.first;
    }
  }
}

TEST_F(Dialects, rounds_are_counted_where_ranks_may_be_started_again) {
  EXPECT_EQ(of(0).count("MUSTER_RESTART_COUNT"), 0u);
  where_.point.round = 2;  // a batch job that was queued again, or a round of ours
  EXPECT_EQ(of(0).at("MUSTER_RESTART_COUNT"), "2");
  spec_.max_restarts = 3;
  const auto env = of(0);
  for (const char* prefix : {"TORCHELASTIC_", "MUSTER_"}) {
    EXPECT_EQ(env.at(prefix + std::string("RESTART_COUNT")), "2");
    EXPECT_EQ(env.at(prefix + std::string("MAX_RESTARTS")), "3");
  }
}

TEST_F(Dialects, horovod_crosses_only_nodes_with_that_local_rank) {
  EXPECT_EQ(of(4).at("HOROVOD_CROSS_RANK"), "2");  // local rank 0: a, b, c
  EXPECT_EQ(of(4).at("HOROVOD_CROSS_SIZE"), "3");
  EXPECT_EQ(of(5).at("HOROVOD_CROSS_RANK"), "1");  // local rank 1: a, c
  EXPECT_EQ(of(5).at("HOROVOD_CROSS_SIZE"), "2");
  EXPECT_EQ(of(2).at("HOROVOD_CROSS_RANK"), "0");  // local rank 2: a alone
  EXPECT_EQ(of(2).at("HOROVOD_CROSS_SIZE"), "1");
  EXPECT_EQ(of(3).at("HOROVOD_HOSTNAME"), "b");
}

TEST_F(Dialects, azure) {
  const auto env = of(3);
  EXPECT_EQ(env.at("AZ_BATCH_MASTER_NODE"), "10.0.0.1:4242");
  EXPECT_EQ(env.at("AZ_BATCHAI_MPI_MASTER_NODE"), "10.0.0.1");
  EXPECT_EQ(env.at("AZ_BATCHAI_JOB_MASTER_NODE_IP"), "10.0.0.1");
  EXPECT_EQ(env.at("AZ_BATCHAI_PYTORCH_INIT_METHOD"), "tcp://10.0.0.1:4242");
  EXPECT_EQ(env.at("AZ_BATCHAI_TASK_INDEX"), "3");
  EXPECT_EQ(env.at("AZUREML_NODE_COUNT"), "3");
  EXPECT_EQ(env.at("AZ_BATCH_HOST_LIST"), "10.0.0.1,10.0.0.2,10.0.0.3");
  EXPECT_FALSE(env.contains("AZUREML_MPI_HOSTFILE"));
  where_.point.address = "fd00::1";
  EXPECT_EQ(of(0).at("AZ_BATCH_MASTER_NODE"), "[fd00::1]:4242");
  EXPECT_EQ(of(0).at("AZ_BATCHAI_PYTORCH_INIT_METHOD"), "tcp://[fd00::1]:4242");
}

TEST_F(Dialects, host_list_only_for_several_nodes_and_within_the_kernels_limit) {
  where_.point.addresses[2] = std::string(131'072, 'x');
  EXPECT_FALSE(of(0).contains("AZ_BATCH_HOST_LIST"));
  where_.point.addresses = {"127.0.0.1"};
  plan_.nodes.resize(1);
  plan_.ranks.resize(3);
  EXPECT_FALSE(of(0).contains("AZ_BATCH_HOST_LIST"));
}

TEST_F(Dialects, threads_share_the_cpus_of_the_node) {
  for (const char* name :
       {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS"}) {
    EXPECT_EQ(of(0).at(name), "2");
    EXPECT_EQ(of(3).at(name), "2");
    EXPECT_EQ(of(4).at(name), "<cpus of c / 2>");
    where_.cpus[0] = model::Cpus{1};
    EXPECT_EQ(of(0).at(name), "1");
    where_.cpus[0] = model::Cpus{8};
  }
}

TEST_F(Dialects, threads_of_a_rank_alone_are_its_own_matter) {
  ASSERT_TRUE(of(3).contains("OMP_NUM_THREADS")) << "it sees more cpus than it may use";
  where_.cpus[1]->limited = false;
  EXPECT_FALSE(of(3).contains("OMP_NUM_THREADS"));
}

TEST_F(Dialects, any_thread_count_of_the_user_leaves_all_four_alone) {
  for (const char* own : {"OMP_NUM_THREADS=3", "NUMEXPR_NUM_THREADS=1"}) {
    for (const auto& variable : of(0, {own})) {
      EXPECT_FALSE(variable.first.ends_with("_NUM_THREADS")) << variable.first;
    }
  }
}

TEST_F(Dialects, network) {
  EXPECT_EQ(of(0).at("NCCL_SOCKET_IFNAME"), "=eth0");
  EXPECT_EQ(of(0).at("GLOO_SOCKET_IFNAME"), "eth0");
  EXPECT_EQ(of(3).at("TP_SOCKET_IFNAME"), "ens5");
  EXPECT_EQ(of(5).at("NCCL_SOCKET_IFNAME"), "^lo,docker,veth,virbr,cni,tailscale");
  EXPECT_FALSE(of(5).contains("GLOO_SOCKET_IFNAME"));
  EXPECT_FALSE(of(5).contains("TP_SOCKET_IFNAME"));
  for (const char* name :
       {"FI_SOCKETS_IFACE", "FI_TCP_IFACE", "MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE"}) {
    EXPECT_EQ(of(3).at(name), "ens5");
    EXPECT_FALSE(of(5).contains(name));
  }
  EXPECT_EQ(of(0).at("UCX_NET_DEVICES"), "eth0");
  EXPECT_FALSE(of(3).contains("UCX_NET_DEVICES")) << "UCX would lose InfiniBand";
  EXPECT_FALSE(of(0, {"UCX_NET_DEVICES=mlx5_0:1"}).contains("UCX_NET_DEVICES"));
  where_.interfaces[0] = "lo";
  EXPECT_FALSE(of(0).contains("UCX_NET_DEVICES"));
  EXPECT_EQ(of(0).at("NCCL_SOCKET_IFNAME"), "lo");
}

TEST_F(Dialects, python_and_muster) {
  EXPECT_EQ(of(1).at("PYTHONUNBUFFERED"), "1");
  EXPECT_EQ(of(1).at("MUSTER_JOB"), "job-7");
}

TEST_F(Dialects, preferences_of_the_launching_shell_win) {
  const auto env = of(0, {"GLOO_SOCKET_IFNAME=x", "NCCL_SOCKET_IFNAME=eth9", "PYTHONUNBUFFERED="});
  EXPECT_FALSE(env.contains("GLOO_SOCKET_IFNAME"));
  EXPECT_FALSE(env.contains("NCCL_SOCKET_IFNAME"));
  EXPECT_FALSE(env.contains("PYTHONUNBUFFERED"));
  EXPECT_TRUE(env.contains("TP_SOCKET_IFNAME"));
}

TEST_F(Dialects, stale_identity_of_the_launching_shell_loses) {
  const auto env = of(4, {"MASTER_ADDR=old", "MASTER_PORT=1", "RANK=9", "WORLD_SIZE=99"});
  EXPECT_EQ(env, of(4));
}

TEST_F(Dialects, exported_variable_is_the_users_and_nothing_else_changes) {
  auto expected = of(4);
  expected.erase("RANK");
  spec_.apps.front().exports = {{"RANK", "5"}};
  EXPECT_EQ(of(4), expected);
}

TEST_F(Dialects, azure_follows_an_exported_master) {
  spec_.apps.front().exports = {{"MASTER_ADDR", "192.0.2.1"}, {"MASTER_PORT", {}}};
  const auto env = of(4, {"MASTER_PORT=6105"});
  EXPECT_FALSE(env.contains("MASTER_ADDR"));
  EXPECT_FALSE(env.contains("MASTER_PORT"));
  EXPECT_EQ(env.at("AZ_BATCH_MASTER_NODE"), "192.0.2.1:6105");
  EXPECT_EQ(env.at("AZ_BATCHAI_MPI_MASTER_NODE"), "192.0.2.1");
}

// The shell's copies must not reach the rank by another way: whatever dialects() sets without
// asking is withheld from the shell.
TEST_F(Dialects, shell_never_holds_a_second_value) {
  std::vector<std::string> shell;
  for (const auto& variable : of(0)) shell.push_back(variable.first + "=stale");
  const auto kept = forwarded(shell, spec_.apps.front(), spec_.environment, Machine::same);
  ASSERT_TRUE(kept);
  const auto env = of(0, shell);
  for (const auto& variable : kept->kept)
    EXPECT_FALSE(env.contains(variable.name)) << variable.name;
  EXPECT_EQ(kept->kept.size() + env.size(), shell.size());
}

TEST_F(Dialects, hostfile_has_slots_and_nothing_else) {
  EXPECT_EQ(hostfile_text(plan_), "a slots=3\nb slots=1\nc slots=2\n");
  plan_.nodes[1].host.slots = 8;
  plan_.nodes[2].host.slots = 1;
  EXPECT_EQ(hostfile_text(plan_), "a slots=3\nb slots=8\nc slots=2\n");
}

}  // namespace
}  // namespace muster::plan
