// Which runs that have ended may be started once more by their batch system.
#include "cli/requeued.hpp"

#include <gtest/gtest.h>

#include "unit/folder.hpp"

namespace muster::cli::requeued_test {
namespace {

using model::RunRecord;
using model::RunState;

class Requeued : public testing::Test {
 protected:
  [[nodiscard]] RunRecord ended(RunState state, int code) const {
    RunRecord record;
    record.folder = folder_.path();
    record.scheduler = {"slurm", "cluster", "", "", "12"};
    record.state = state;
    record.exit_code = code;
    return record;
  }
  void script(const std::string& directive) const {
    folder_.file("job.sh", "#!/bin/sh\n#SBATCH --nodes=1\n#SBATCH " + directive + "\n\n", false);
  }

  unit::Folder folder_;
};

TEST_F(Requeued, IsARunWhoseScriptAllowsIt) {
  EXPECT_FALSE(may_run_again(ended(RunState::stopped, 143)));  // no script
  script("--no-requeue");
  EXPECT_FALSE(may_run_again(ended(RunState::stopped, 143)));
  script("--requeue");
  EXPECT_TRUE(may_run_again(ended(RunState::stopped, 143)));
  EXPECT_TRUE(may_run_again(ended(RunState::failed, 3)));
}

TEST_F(Requeued, IsNoRunThatCompletedOrStillRunsOrHasNoJob) {
  script("--requeue");
  EXPECT_FALSE(may_run_again(ended(RunState::completed, 0)));
  EXPECT_FALSE(may_run_again(ended(RunState::running, 0)));
  RunRecord record = ended(RunState::failed, 244);
  record.scheduler.id = "";
  EXPECT_FALSE(may_run_again(record));
  record.scheduler = {"kubernetes", "cluster", "", "", "12"};
  EXPECT_FALSE(may_run_again(record));
}

TEST_F(Requeued, IsNotAskedAboutOnceItsJobIsOver) {
  script("--requeue");
  const RunRecord record = ended(RunState::stopped, 143);
  note_job_over(record);
  EXPECT_FALSE(may_run_again(record));
}

TEST_F(Requeued, HasNothingOfTheEarlierAttempt) {
  RunRecord record = ended(RunState::stopped, 143);
  record.cause = "SIGTERM";
  record.code_from = "signal";
  record.hosts = {"node1"};
  record.started = record.ended = model::Utc(std::chrono::seconds(1));
  record.steps = {{"train", model::StepState::stopped, "SIGTERM", 143, record.started, {}}};
  const RunRecord anew = between_attempts(record);
  RunRecord expected;
  expected.folder = record.folder;
  expected.scheduler = record.scheduler;
  expected.state = RunState::queued;
  expected.steps = {{"train", model::StepState::waiting, "", {}, {}, {}}};
  EXPECT_EQ(anew, expected);
}

}  // namespace
}  // namespace muster::cli::requeued_test
