// The hosts of the job of a batch system around.
#include <gtest/gtest.h>
#include <map>

#include "spec/sources.hpp"

namespace muster::spec::source_batch_test {
namespace {

using Around = std::map<std::string, std::string, std::less<>>;
using Words = std::vector<std::string>;

Variable variable_of(const Around& around) {
  return [&around](std::string_view name) -> std::optional<std::string_view> {
    const auto found = around.find(name);
    return found == around.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  };
}

// "PBS job 7: a:2 b:1" where the file has this text, or the complaint.
std::string hosts(const Around& around, const std::string& text = {}) {
  const auto read = [&](const std::string&, std::size_t) {
    return base::Result<std::string>(text);
  };
  const auto found = batch_job_around({.read_file = read, .variable = variable_of(around)});
  if (!found) return base::to_string(found.error().place) + ": " + found.error().what;
  if (!*found) return "none";
  std::string told = (*found)->name + ":";
  for (const model::HostEntry& one : (*found)->hosts) {
    told += fmt::format(" {}:{}", one.name, *one.slots);
  }
  return told;
}

TEST(BatchHosts, OfPbsStandOnceForEachSlot) {
  const Around around = {{"PBS_JOBID", "7.server"}, {"PBS_NODEFILE", "/f"}};
  EXPECT_EQ(hosts(around, "b\na\nb\n\na.example\n"), "PBS job 7.server: b:2 a:1 a.example:1");
  EXPECT_EQ(hosts(around, ""), "none");
}

TEST(BatchReach, OfPbsTellsTheMomOfTheAgent) {
  const Around around = {{"PBS_JOBID", "7.server"}, {"PBS_NODEFILE", "/f"}};
  const auto reach = batch_job_reach(variable_of(around));
  ASSERT_TRUE(reach);
  EXPECT_EQ(reach->command, Words());
  EXPECT_EQ(reach->wrapper,
            (Words{"/bin/sh", "-c",
                   R"(j="$1"; shift; ([ -r /etc/pbs.conf ] && . /etc/pbs.conf; )"
                   R"(PATH="$PATH:${PBS_EXEC:-/opt/pbs}/bin"; pbs_attach -j "$j" -p $$ || )"
                   R"(pbs_track -j "$j" -a $$) </dev/null >/dev/null 2>&1; exec "$@")",
                   "pbs_attach", "7.server"}));
}

TEST(BatchHosts, OfCobaltStandInItsFile) {
  EXPECT_EQ(hosts({{"COBALT_JOBID", "7"}, {"COBALT_NODEFILE", "/f"}}, "a\n"), "Cobalt job 7: a:1");
}

TEST(BatchHosts, OfLsfStandInAFileOrInPairs) {
  EXPECT_EQ(hosts({{"LSB_JOBID", "7"}, {"LSB_DJOB_HOSTFILE", "/f"}, {"LSB_MCPU_HOSTS", "x 1"}},
                  "a\na\nb\n"),
            "LSF job 7: a:2 b:1");
  const Around around = {{"LSB_JOBID", "7"}, {"LSB_MCPU_HOSTS", "h1 4 h2 2 h1 1"}};
  EXPECT_EQ(hosts(around), "LSF job 7: h1:5 h2:2");
}

TEST(BatchReach, OfLsfGivesBlaunchWordsThatAShellMayReadOrNot) {
  const Around around = {{"LSB_JOBID", "7"}, {"LSB_MCPU_HOSTS", "h1 4"}};
  EXPECT_EQ(batch_job_reach(variable_of(around))->command,
            (Words{"/bin/sh", "-c",
                   R"(PATH="${LSF_BINDIR:+$LSF_BINDIR:}$PATH"; h="$1"; )"
                   R"(eval "set -- ${2#exec }"; exec blaunch "$h" "$@")",
                   "blaunch"}));
}

TEST(BatchHosts, OfGridEngineHaveSlotsAndQueues) {
  const Around around = {{"SGE_ROOT", "/sge"}, {"JOB_ID", "7"}, {"PE_HOSTFILE", "/f"}};
  EXPECT_EQ(hosts(around, "n1 2 test.q@n1 UNDEFINED\nn2 1 test.q@n2 <NULL>\n\nn1 1 other@n1\n"),
            "Grid Engine job 7: n1:3 n2:1");
  EXPECT_EQ(hosts(around, "n1\n"), "$PE_HOSTFILE: no host with its slots: 'n1'");
  EXPECT_NE(hosts(around, "n1 0 q\n").find("$PE_HOSTFILE"), std::string::npos);
}

TEST(BatchReach, OfGridEngineIsQrshWithinTheJob) {
  const Around around = {{"SGE_ROOT", "/sge"}, {"JOB_ID", "7"}, {"PE_HOSTFILE", "/f"}};
  EXPECT_EQ(
      batch_job_reach(variable_of(around))->command,
      (Words{"/bin/sh", "-c", R"(PATH="$SGE_ROOT/bin/$ARC:$PATH"; exec qrsh -inherit "$1" "$2")",
             "qrsh -inherit"}));
  EXPECT_EQ(batch_job_reach(variable_of(around))->wrapper,
            (Words{"/bin/sh", "-c", R"(trap '' USR1 USR2; exec "$@")", "agent"}));
  const auto own = batch_job_reach(variable_of(around), "sge", {{"/opt/it's qrsh"}, {"-v", "A=1"}});
  EXPECT_EQ(own->command[2], R"(PATH="$SGE_ROOT/bin/$ARC:$PATH"; )"
                             R"(exec '/opt/it'\''s qrsh' -inherit -v A=1 "$1" "$2")");
}

TEST(BatchReach, IsOfOneManagerWhereThatIsAskedFor) {
  const Around around = {
      {"PBS_JOBID", "7"}, {"PBS_NODEFILE", "/f"}, {"LSB_JOBID", "8"}, {"LSB_MCPU_HOSTS", "h1 4"}};
  EXPECT_EQ(batch_job_reach(variable_of(around))->command, Words());
  EXPECT_EQ(batch_job_reach(variable_of(around), "lsf")->command.back(), "blaunch");
  EXPECT_FALSE(batch_job_reach(variable_of(around), "sge"));
  EXPECT_FALSE(batch_job_reach(variable_of({})));
  EXPECT_EQ(batch_name("sge"), "Grid Engine");
  EXPECT_EQ(batch_name("slurm"), "");
}

TEST(BatchHosts, OfOarStandInItsFile) {
  const Around around = {{"OAR_JOB_ID", "7"}, {"OAR_NODEFILE", "/f"}};
  EXPECT_EQ(hosts(around, "a\na\n"), "OAR job 7: a:2");
  EXPECT_EQ(batch_job_reach(variable_of(around))->command, Words{"oarsh"});
}

TEST(BatchHosts, OfLoadLevelerStandInItsFile) {
  const Around around = {{"LOADL_STEP_ID", "c.7.0"}, {"LOADL_HOSTFILE", "/f"}};
  EXPECT_EQ(hosts(around, "a\nb\na\n"), "LoadLeveler job c.7.0: a:2 b:1");
}

TEST(BatchHosts, AreNotThereWithoutAWholeJobOrBelowARankOfOurs) {
  EXPECT_EQ(hosts({}), "none");
  EXPECT_EQ(hosts({{"PBS_NODEFILE", "/f"}}, "a\n"), "none");
  EXPECT_EQ(hosts({{"PBS_JOBID", "7"}, {"PBS_NODEFILE", "/f"}, {"MUSTER_HEAD", "/x"}}, "a\n"),
            "none");
}

TEST(BatchHosts, OfSlurmGoBeforeALeftover) {
  const Around around = {{"PBS_JOBID", "7"}, {"PBS_NODEFILE", "/f"}, {"SLURM_JOB_NODELIST", "s1"}};
  const auto read = [](const std::string&, std::size_t) {
    return base::Result<std::string>("a\n");
  };
  const auto found = find_hosts({.read_file = read, .variable = variable_of(around)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->hosts.front().name, "s1");
}

}  // namespace
}  // namespace muster::spec::source_batch_test
