// What is left of an environment when a launcher is called inside a rank.
#include "plan/surroundings.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "plan/environment.hpp"
#include "plan/variable_owner.hpp"

namespace muster::plan {
namespace {

using Entries = std::vector<std::string>;

// As a rank finds it: the user's entries, and muster's over them.
Entries inside(Entries users, const Entries& ours) {
  for (const std::string& entry : ours) users.push_back(entry);
  users.push_back("MUSTER_GAVE=" + fingerprints(ours));
  return users;
}

Entries left(const Entries& found) {
  Entries names;
  for (const std::string& entry : surroundings(found).environment) {
    if (!entry.starts_with("MUSTER_GAVE=")) names.push_back(entry);
  }
  return names;
}

TEST(Surroundings, outside_of_ranks_nothing_changes) {
  const Entries shell = {"PATH=/a:/b", "OMP_NUM_THREADS=3", "RANK=1", "junk", "=C:=x", "EMPTY="};
  const Surroundings around = surroundings(shell);
  EXPECT_EQ(around.environment, shell);
  EXPECT_TRUE(around.given.empty());
}

TEST(Surroundings, what_muster_gave_is_gone) {
  const Entries found = inside({"A=1", "OMP_NUM_THREADS=3"}, {"GLOO_SOCKET_IFNAME=lo", "RANK=0"});
  EXPECT_EQ(left(found), (Entries{"A=1", "OMP_NUM_THREADS=3"}));
  EXPECT_EQ(surroundings(found).given, (Entries{"GLOO_SOCKET_IFNAME", "RANK"}));
}

TEST(Surroundings, what_a_script_set_since_is_the_users) {
  Entries found = inside({}, {"GLOO_SOCKET_IFNAME=lo", "OMP_NUM_THREADS=2"});
  found[0] = "GLOO_SOCKET_IFNAME=eth1";
  EXPECT_EQ(left(found), (Entries{"GLOO_SOCKET_IFNAME=eth1"}));
  EXPECT_EQ(surroundings(found).given, (Entries{"OMP_NUM_THREADS"}));
}

TEST(Surroundings, of_lists_only_our_own_entry_goes) {
  const Entries ours = {"PATH=/tmp/links:/usr/bin:/bin", "PYTHONPATH=/proc/7/fd/5"};
  EXPECT_EQ(left(inside({}, ours)), (Entries{"PATH=/usr/bin:/bin"}));
  Entries found = inside({}, ours);
  found[0] = "PATH=/venv/bin:/tmp/links:/usr/bin::/bin";
  found[1] = "PYTHONPATH=/mine:/proc/7/fd/5";
  EXPECT_EQ(left(found), (Entries{"PATH=/venv/bin:/usr/bin::/bin", "PYTHONPATH=/mine"}));
}

TEST(Surroundings, what_speaks_to_launchers_and_shares_of_devices_stay) {
  const Entries ours = {"AZUREML_MPI_HOSTFILE=/proc/7/fd/4", "CUDA_VISIBLE_DEVICES=1"};
  const Entries found = inside({"MUSTER_STARTS_RANKS=1"}, ours);
  EXPECT_EQ(left(found), (Entries{"MUSTER_STARTS_RANKS=1", ours[0], ours[1]}));
  EXPECT_EQ(surroundings(found).given, (Entries{"AZUREML_MPI_HOSTFILE", "CUDA_VISIBLE_DEVICES"}));
}

TEST(Surroundings, a_damaged_record_is_no_record) {
  EXPECT_EQ(surroundings(Entries{"A=1", "MUSTER_GAVE=abc"}).environment.size(), 2u);
}

// What `found` is told of a batch job that the rank with these variables was not in.
std::optional<std::string> other_job(const Entries& ranks, Entries found) {
  found.push_back("MUSTER_GAVE=" + fingerprints(Entries{"RANK=0"}) + batch_job_marks(ranks));
  return other_batch_job(found);
}

TEST(Surroundings, a_batch_job_of_ones_own_is_another_one) {
  const Entries slurm = {"SLURM_JOB_ID=7", "SLURM_NTASKS=2"};
  EXPECT_EQ(other_job(slurm, slurm), std::nullopt);
  EXPECT_EQ(other_job(slurm, {"SLURM_JOB_ID=8"}), "SLURM_JOB_ID=8");
  EXPECT_EQ(other_job({}, {"SLURM_JOB_ID=8"}), "SLURM_JOB_ID=8");
  EXPECT_EQ(other_job(slurm, {"SLURM_JOB_ID=7", "PBS_JOBID=3"}), "PBS_JOBID=3");
  EXPECT_EQ(other_job({"LSB_JOBID=1"}, {"LSB_JOBID=2"}), "LSB_JOBID=2");
  EXPECT_EQ(other_job({"FLUX_URI=local:///a"}, {"FLUX_URI=local:///b"}), "FLUX_URI=local:///b");
}

TEST(Surroundings, what_a_container_has_lost_is_not_another_batch_job) {
  EXPECT_EQ(other_job({"SLURM_JOB_ID=7"}, {}), std::nullopt);
  EXPECT_EQ(other_job({"SLURM_JOB_ID=7"}, {"SLURM_JOB_ID="}), std::nullopt);
  EXPECT_EQ(other_batch_job(Entries{"SLURM_JOB_ID=8"}), std::nullopt);
  EXPECT_EQ(other_batch_job(Entries{"SLURM_JOB_ID=8", "MUSTER_GAVE="}), std::nullopt);
}

TEST(Surroundings, a_component_of_the_ranks_job_is_not_another_batch_job) {
  const Entries ranks = {"SLURM_JOB_ID=7", "SLURM_JOB_ID_HET_GROUP_0=7",
                         "SLURM_JOB_ID_HET_GROUP_1=8"};
  EXPECT_EQ(other_job(ranks, {"SLURM_JOB_ID=8"}), std::nullopt);
  EXPECT_EQ(other_job(ranks, {"SLURM_JOB_ID=9"}), "SLURM_JOB_ID=9");
}

TEST(Surroundings, a_job_id_without_grid_engine_is_the_users) {
  EXPECT_EQ(other_job({}, {"JOB_ID=3"}), std::nullopt);
  EXPECT_EQ(other_job({}, {"JOB_ID=3", "SGE_ROOT=/opt/sge"}), "JOB_ID=3");
  const Entries sge = {"JOB_ID=3", "SGE_ROOT=/opt/sge"};
  EXPECT_EQ(other_job(sge, sge), std::nullopt);
}

TEST(Surroundings, marks_of_batch_jobs_do_not_take_variables_away) {
  const Entries slurm = {"SLURM_JOB_ID=7"};
  Entries found = slurm;
  found.push_back("MUSTER_GAVE=" + batch_job_marks(slurm));
  EXPECT_EQ(left(found), slurm);
}

TEST(Surroundings, fingerprints_tell_names_and_values_apart) {
  const Entries entries = {"A=1", "A=2", "B=1", "A1=", "=A1", "A=1=2"};
  std::vector<std::string> seen;
  for (const std::string& entry : entries) seen.push_back(fingerprints(std::span(&entry, 1)));
  EXPECT_EQ(seen[4], "");
  EXPECT_EQ(fingerprints(entries), seen[0] + seen[1] + seen[2] + seen[3] + seen[5]);
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
}

Entries exports_of(const Surroundings& around, model::JobSpec spec) {
  settle_exports(around, spec);
  Entries words;
  for (const model::EnvSetting& one : spec.apps.front().exports) {
    words.push_back(one.name + (one.value ? "=" + *one.value : ""));
  }
  return words;
}

TEST(SettleExports, x_of_what_muster_gave_asks_for_what_muster_gives) {
  model::JobSpec spec;
  spec.apps.front().exports = {{"RANK", {}}, {"OMP_NUM_THREADS", {}}, {"RANK", "7"}};
  EXPECT_EQ(exports_of({{"OMP_NUM_THREADS=3"}, {"GLOO_SOCKET_IFNAME", "RANK"}}, spec),
            (Entries{"OMP_NUM_THREADS", "RANK=7"}));
}

TEST(SettleExports, x_of_the_rank_around_holds_where_it_would_not_go_along_by_itself) {
  const Entries given = {"TMPDIR=/scratch", "MASTER_PORT=6105",
                         "RANK=3",          "A=1",
                         "HOME=/root",      "MUSTER_EXPORTED=A MASTER_PORT RANK TMPDIR"};
  EXPECT_EQ(exports_of({given, {}}, {}), (Entries{"TMPDIR"}));
  Entries command = given;
  command.emplace_back("MUSTER_STARTS_RANKS=1");
  EXPECT_EQ(exports_of({command, {}}, {}), (Entries{"TMPDIR", "MASTER_PORT"}));
  model::JobSpec clean;
  clean.apps.front().clean = true;
  EXPECT_EQ(exports_of({command, {}}, clean), Entries{});
}

TEST(SettleExports, what_must_be_known_below_is_noted) {
  model::App app;
  app.exports = {{"TMPDIR", "/scratch"}, {"A", "1"}, {"MASTER_PORT", "1"}, {"RANK", "2"}};
  const auto kept = forwarded({}, app, {}, Machine::same);
  const auto noted = std::ranges::find(kept->kept, "MUSTER_EXPORTED", &model::Variable::name);
  ASSERT_NE(noted, kept->kept.end());
  EXPECT_EQ(noted->value, "MASTER_PORT TMPDIR");
}

TEST(SettleExports, what_a_front_end_set_by_itself_is_no_wish_of_the_users) {
  model::App app;
  app.exports = {{"OMPI_MCA_pml", "ob1", true},
                 {"OMPI_MCA_btl", "^openib", true},
                 {"OMPI_MCA_btl", "tcp,self"}};
  Entries found;
  const auto kept = forwarded({}, app, {}, Machine::same);
  for (const model::Variable& one : kept->kept) {
    found.push_back(one.name + "=" + one.value);
  }
  EXPECT_EQ(left(found), (Entries{"OMPI_MCA_btl=tcp,self"}));
  EXPECT_EQ(surroundings(found).given, (Entries{"OMPI_MCA_pml"}));
}

TEST(Belongs, users_own_settings_of_muster_and_pmix_go_along) {
  for (const char* name : {"MUSTER_SSH_COMMAND", "PMIX_MCA_gds", "OMPI_MCA_btl", "ANY"}) {
    EXPECT_EQ(belongs(name), Belongs::to_user) << name;
    EXPECT_EQ(stale_because(name), "") << name;
    EXPECT_EQ(stays_because(name), "") << name;
  }
  EXPECT_EQ(belongs("MUSTER_RECORDS"), Belongs::to_host);
  EXPECT_EQ(belongs("MUSTER_JOB"), Belongs::to_rank);
  EXPECT_EQ(belongs("PMIX_RANK"), Belongs::to_rank);
  EXPECT_EQ(belongs("MASTER_ADDR"), Belongs::to_meeting);
}

}  // namespace
}  // namespace muster::plan
