// The end of the Slurm job around, with a program that stands for squeue.
#include "head/allocation_end.hpp"

#include <gtest/gtest.h>

#include "base/variables.hpp"
#include "unit/folder.hpp"

namespace muster::head::allocation_end_test {
namespace {

using Environment = std::vector<std::string>;

class EndOfJob : public testing::Test {
 protected:
  void squeue(const std::string& text) const {
    folder_.file("squeue", "#!/bin/sh\necho asked >> " + folder_.path() + "/asked\n" + text, true);
  }
  [[nodiscard]] Environment in_job(const Environment& more = {}) const {
    Environment all = {"PATH=" + folder_.path() + ":/usr/bin:/bin", "SLURM_JOB_ID=7"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static std::string end_in(const Environment& environment) {
    return base::value_of(environment, "SLURM_JOB_END_TIME");
  }

  const unit::Folder folder_;
};

TEST_F(EndOfJob, IsWhatSqueueSaysInSecondsSince1970) {
  squeue("[ \"$SLURM_TIME_FORMAT\" = %s ] && echo 1795628767");
  Environment job = in_job({"SLURM_TIME_FORMAT=relative"});
  EXPECT_TRUE(add_allocation_end(job, false));
  EXPECT_EQ(end_in(job), "1795628767");
}

TEST_F(EndOfJob, IsNoneOfAJobWithoutALimit) {
  squeue("echo NONE");
  Environment job = in_job();
  EXPECT_TRUE(add_allocation_end(job, false));
  EXPECT_EQ(job, in_job());
}

TEST_F(EndOfJob, MayBeAskedForAgainWhereNobodyAnswers) {
  squeue("exit 1");
  Environment job = in_job();
  EXPECT_FALSE(add_allocation_end(job, false));
  squeue("exec sleep 60");
  EXPECT_FALSE(add_allocation_end(job, false));
  EXPECT_EQ(job, in_job());
}

TEST_F(EndOfJob, IsNotAskedForWhereItIsKnownOrNobodysBusiness) {
  squeue("echo 1795628767");
  for (const char* more : {"SLURM_JOB_END_TIME=5", "MUSTER_DEADLINE=5", "MUSTER_HEAD=socket"}) {
    Environment job = in_job({more});
    EXPECT_TRUE(add_allocation_end(job, false)) << more;
    EXPECT_EQ(job, in_job({more}));
  }
  Environment limited = in_job();
  EXPECT_TRUE(add_allocation_end(limited, true));
  Environment elsewhere = {"PATH=" + folder_.path() + ":/usr/bin:/bin"};
  EXPECT_TRUE(add_allocation_end(elsewhere, false));
  EXPECT_FALSE(folder_.has("asked"));
}

}  // namespace
}  // namespace muster::head::allocation_end_test
