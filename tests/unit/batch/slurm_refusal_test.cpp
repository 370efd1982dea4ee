// Refusals of Slurm 22.05's commands, as they were seen.
#include "batch/slurm_refusal.hpp"

#include <gtest/gtest.h>

namespace muster::batch::slurm_refusal_test {
namespace {

TEST(SlurmRefused, HasSlurmsOwnWordsAndWhatToDo) {
  const Refusal one = slurm_refused(
      "sbatch: error: invalid partition specified: absent\n"
      "sbatch: error: Batch job submission failed: Invalid partition name specified\n");
  EXPECT_EQ(one.error.what,
            "Slurm refuses: invalid partition specified: absent; Invalid partition name specified");
  EXPECT_EQ(one.error.fault, base::Fault::cannot_start);
  EXPECT_EQ(one.names.front(), "sinfo");
  const Refusal two = slurm_refused(
      "sbatch: error: Batch job submission failed: Invalid account or account/partition "
      "combination specified\n");
  EXPECT_EQ(two.error.what,
            "Slurm refuses: Invalid account or account/partition combination specified");
  EXPECT_NE(two.error.hint.find("account:"), std::string::npos);
}

TEST(SlurmRefused, HintsAreForARunAndForATarget) {
  for (const char* words :
       {"Invalid partition name specified", "Invalid account or account/partition combination",
        "Invalid qos specification", "Invalid generic resource (gres) specification",
        "Invalid feature specification", "Invalid node name specified",
        "Invalid license specification", "Invalid --time specification",
        "Requested time limit is invalid (missing or exceeds some limit)",
        "Requested reservation is invalid"}) {
    const std::string hint = slurm_refused(std::string("salloc: error: ") + words).error.hint;
    EXPECT_NE(hint.find("of muster run"), std::string::npos) << words;
    EXPECT_NE(hint.find(": of the target"), std::string::npos) << words << hint;
  }
  EXPECT_NE(slurm_refused("salloc: error: Invalid --begin specification\n").error.hint, "");
}

TEST(SlurmRefused, NamesAnOptionThatThereIsNot) {
  EXPECT_EQ(slurm_refused("salloc: unrecognized option '--nosuch=3'\n"
                          "Try \"salloc --help\" for more information\n")
                .error.what,
            "Slurm refuses: unrecognized option '--nosuch=3'");
  EXPECT_EQ(slurm_refused("sbatch: unrecognized option '--nosuch'\n").error.what,
            "Slurm refuses: unrecognized option '--nosuch'");
  const Refusal one = slurm_refused("salloc: option '--contiguous' doesn't allow an argument\n");
  EXPECT_EQ(one.error.what, "Slurm refuses: option '--contiguous' doesn't allow an argument");
  EXPECT_NE(one.error.hint.find("salloc(1)"), std::string::npos);
  EXPECT_EQ(slurm_refused("salloc: Job allocation 8 has been revoked.\n"
                          "salloc: error: CPU count per node can not be satisfied\n")
                .error.what,
            "Slurm refuses: CPU count per node can not be satisfied");
}

TEST(SlurmRefused, KnowsASlurmThatDoesNotAnswer) {
  const Refusal one = slurm_refused(
      "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect "
      "failure)\n");
  EXPECT_EQ(one.error.fault, base::Fault::unreachable);
  EXPECT_TRUE(one.error.what.starts_with("Slurm does not answer: "));
  EXPECT_TRUE(one.names.empty());
  const Refusal no_slurm = slurm_refused(
      "sbatch: error: resolve_ctls_from_dns_srv: res_nsearch error: Unknown host\n"
      "sbatch: fatal: Could not establish a configuration source\n");
  EXPECT_EQ(no_slurm.error.fault, base::Fault::unreachable);
}

TEST(SlurmRefused, KnowsAJobThatIsGone) {
  EXPECT_TRUE(slurm_refused("slurm_load_jobs error: Invalid job id specified\n").is_unknown_job);
  EXPECT_FALSE(slurm_refused("squeue: error: something else\n").is_unknown_job);
  EXPECT_EQ(slurm_refused("").error.what, "Slurm refuses: it does not say why");
}

}  // namespace
}  // namespace muster::batch::slurm_refusal_test
