// What goes along from the launching shell, and what an account adds.
#include <algorithm>
#include <gtest/gtest.h>

#include "plan/environment.hpp"

namespace muster::plan {
namespace {

using Shell = std::vector<std::string>;

std::string text(const Forwarded& forwarded) {
  std::string lines;
  for (const auto& [name, value, why] : forwarded.kept)
    lines += name + "=" + value + " " + why + "\n";
  return lines;
}

std::vector<std::string> withheld(const Shell& shell, Machine machine,
                                  const model::JobSpec& spec = {}) {
  const auto result = forwarded(shell, spec.apps.front(), spec.environment, machine);
  std::vector<std::string> names;
  for (const Withheld& one : result->withheld) {
    EXPECT_FALSE(one.why.empty()) << one.name;
    names.push_back(one.name);
  }
  return names;
}

TEST(Forwarded, plain_variables_go_along_sorted) {
  const auto result = forwarded(Shell{"PATH=/venv/bin:/bin", "CONDA_PREFIX=/venv", "A=x=y", "E="},
                                {}, {}, Machine::another);
  ASSERT_TRUE(result);
  EXPECT_EQ(text(*result),
            "A=x=y shell\nCONDA_PREFIX=/venv shell\nE= shell\nPATH=/venv/bin:/bin shell\n");
  EXPECT_TRUE(result->withheld.empty());
}

TEST(Forwarded, entries_without_a_name_are_skipped_and_the_first_of_two_counts) {
  const auto result = forwarded(Shell{"=C:=x", "junk", "A=1", "A=2"}, {}, {}, Machine::same);
  ASSERT_TRUE(result);
  EXPECT_EQ(text(*result), "A=1 shell\n");
}

TEST(Forwarded, other_launchers_variables_stay_everywhere) {
  const Shell shell = {"ALPS_APP_PE=0",
                       "DEVICE_ID=3",
                       "FLUX_JOB_ID=f7",
                       "FLUX_KVS_NAMESPACE=job-7",
                       "FLUX_PMI_LIBRARY_PATH=/flux/libpmi.so",
                       "JSM_JSRUN_PORT=7",
                       "MASTER_ADDR=old",
                       "MS_NODE_ID=1",
                       "MS_ROLE=MS_WORKER",
                       "MS_SCHED_HOST=10.0.0.1",
                       "MS_SCHED_PORT=8118",
                       "MS_SERVER_NUM=1",
                       "MS_WORKER_NUM=8",
                       "MUSTER_JOB=x",
                       "OMPI_COMM_WORLD_RANK=3",
                       "OMPI_MCA_mpi_oversubscribe=1",
                       "OMPI_MCA_shmem_RUNTIME_QUERY_hint=mmap",
                       "OMPI_PARENT_PORT=7.0:300",
                       "PALS_RANKID=1",
                       "PMIX_RANK=1",
                       "PMIX_SERVER_URI41=7.0;tcp4://127.0.0.1:9",
                       "PMI_FD=7",
                       "RANK=5",
                       "RANK_ID=5",
                       "RANK_SIZE=8",
                       "SLURM_PROCID=0",
                       "TF_CONFIG={}",
                       "TORCHELASTIC_RUN_ID=none"};
  std::vector<std::string> names;
  for (const std::string& entry : shell) names.push_back(entry.substr(0, entry.find('=')));
  for (const Machine machine : {Machine::same, Machine::another}) {
    EXPECT_EQ(withheld(shell, machine), names);
  }
}

TEST(Forwarded, the_address_of_a_cluster_for_workers_started_by_hand_goes_along) {
  const Shell shell = {"MS_SCHED_HOST=10.0.0.1", "MS_SCHED_PORT=8118", "MS_WORKER_NUM=8"};
  EXPECT_TRUE(withheld(shell, Machine::another).empty());
}

TEST(Forwarded, tuning_variables_of_other_launchers_go_along) {
  const Shell shell = {"OMPI_MCA_btl_tcp_if_include=eth0",
                       "NCCL_DEBUG=INFO",
                       "UCX_TLS=tcp",
                       "HYDRA_IFACE=eth0",
                       "RANKING=1",
                       "HOROVOD_FUSION=1"};
  EXPECT_TRUE(withheld(shell, Machine::another).empty());
}

TEST(Forwarded, what_belongs_to_this_host_stays_only_for_others) {
  const Shell shell = {"CUDA_VISIBLE_DEVICES=0",
                       "DISPLAY=:0",
                       "HOME=/home/me",
                       "HOSTNAME=laptop",
                       "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=laptop",
                       "PWD=/x",
                       "ROCR_VISIBLE_DEVICES=0",
                       "SHELL=/bin/zsh",
                       "SLURMD_NODENAME=laptop",
                       "SSH_AUTH_SOCK=/tmp/s",
                       "TMPDIR=/scratch",
                       "USER=me",
                       "XDG_RUNTIME_DIR=/run",
                       "_=/bin/muster"};
  EXPECT_EQ(withheld(shell, Machine::another).size(), shell.size());
  EXPECT_TRUE(withheld(shell, Machine::same).empty());
}

TEST(Forwarded, exports_always_go_along_and_the_last_wins) {
  model::JobSpec spec;
  spec.apps.front().exports = {
      {"RANK", "5"}, {"TMPDIR", {}}, {"NEW", "1"}, {"NEW", "2"}, {"TMPDIR", {}}};
  const auto result = forwarded(Shell{"TMPDIR=/scratch", "RANK=1", "ZZ=1", "MM=1"},
                                spec.apps.front(), {}, Machine::another);
  ASSERT_TRUE(result);
  EXPECT_EQ(text(*result),
            "MM=1 shell\nMUSTER_EXPORTED=TMPDIR -x\nNEW=2 -x\nRANK=5 -x\n"
            "TMPDIR=/scratch -x\nZZ=1 shell\n");
  EXPECT_TRUE(result->withheld.empty());
}

TEST(Forwarded, export_of_a_name_that_is_not_set_is_an_error) {
  model::JobSpec spec;
  spec.apps.front().exports = {{"PYTHONPAHT", {}}};
  const auto result = forwarded(Shell{"PYTHONPATH=/x"}, spec.apps.front(), {}, Machine::same);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().fault, base::Fault::usage);
  EXPECT_EQ(base::to_string(result.error()),
            "-x: PYTHONPAHT is not set in the launching shell\n  hint: did you mean PYTHONPATH?");
  EXPECT_EQ(forwarded(Shell{}, spec.apps.front(), {}, Machine::same).error().hint,
            "set it first, or give it a value: -x PYTHONPAHT=VALUE");
}

TEST(Forwarded, clean_env_keeps_exports_only) {
  model::JobSpec spec;
  spec.apps.front().clean = true;
  spec.apps.front().exports = {{"A", {}}};
  const Shell shell = {"PATH=/bin", "A=1", "RANK=2"};
  EXPECT_EQ(text(*forwarded(shell, spec.apps.front(), spec.environment, Machine::same)),
            "A=1 -x\n");
  EXPECT_EQ(withheld(shell, Machine::same, spec), (std::vector<std::string>{"PATH", "RANK"}));
}

TEST(Forwarded, what_is_unset_stays_unless_it_is_given_a_value) {
  model::JobSpec spec;
  spec.environment.unset = {"A", "NCCL_*"};
  spec.apps.front().exports = {{"NCCL_DEBUG", "INFO"}, {"A", "2", true}};
  const Shell shell = {"A=1", "AB=1", "NCCL_DEBUG=WARN", "NCCL_IB_HCA=x"};
  EXPECT_EQ(text(*forwarded(shell, spec.apps.front(), spec.environment, Machine::another)),
            "AB=1 shell\nNCCL_DEBUG=INFO -x\n");
  EXPECT_EQ(withheld(shell, Machine::same, spec), (std::vector<std::string>{"A", "NCCL_IB_HCA"}));
}

TEST(Account, contributes_all_but_the_session_and_stale_variables) {
  const Shell own = {"HOME=/root", "SSH_CONNECTION=a b", "MODULEPATH=/m", "SLURM_PROCID=1", "junk"};
  EXPECT_EQ(account(own, false, {}), (Shell{"HOME=/root", "MODULEPATH=/m"}));
}

TEST(Account, contributes_nothing_that_is_unset) {
  const Shell own = {"A=1", "B=2", "HOME=/root"};
  EXPECT_EQ(account(own, false, {{"A"}, {}}), (Shell{"B=2", "HOME=/root"}));
  EXPECT_EQ(account(own, true, {{"HOME"}, {}}), Shell{});
}

TEST(Account, clean_keeps_what_makes_an_account_usable) {
  const Shell own = {"HOME=/root", "LC_ALL=C", "LANG=C",     "PATH=/bin", "TERM=x",   "TZ=UTC",
                     "USER=me",    "FOO=1",    "LOGNAME=me", "SHELL=/s",  "SSH_TTY=x"};
  EXPECT_EQ(account(own, true, {}),
            (Shell{"HOME=/root", "LC_ALL=C", "LANG=C", "PATH=/bin", "TERM=x", "TZ=UTC", "USER=me",
                   "LOGNAME=me", "SHELL=/s"}));
}

}  // namespace
}  // namespace muster::plan
