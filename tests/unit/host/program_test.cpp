// find_program: what a shell would find, and what is said when there is nothing to find.
#include "host/program.hpp"

#include <gtest/gtest.h>

#include "unit/folder.hpp"

namespace muster::host {
namespace {

TEST(Program, IsLookedUpOnThePathOfTheRanks) {
  const unit::Folder bin;
  const std::string program = bin.file("prog", "#!/bin/sh\n", true);
  EXPECT_EQ(find_program("prog", "/", "/nowhere:" + bin.path()), program);
}

TEST(Program, WithASlashIsTakenFromTheWorkingFolder) {
  const unit::Folder work;
  work.file("prog", "#!/bin/sh\n", true);
  EXPECT_EQ(find_program("./prog", work.path(), "/usr/bin"), work.path() + "/./prog");
  EXPECT_EQ(find_program(work.path() + "/prog", "/", ""), work.path() + "/prog");
}

TEST(Program, AnEmptyPartOfThePathIsTheWorkingFolder) {
  const unit::Folder work;
  work.file("prog", "#!/bin/sh\n", true);
  EXPECT_TRUE(find_program("prog", work.path(), "/usr/bin:"));
}

TEST(Program, ThatIsMissingIsNamed) {
  const auto found = find_program("nosuch", "/", "/usr/bin:/bin");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().fault, base::Fault::cannot_start);
  EXPECT_EQ(found.error().what, "no program nosuch on PATH");
  EXPECT_FALSE(found.error().hint.empty());
}

TEST(Program, InTheWorkingFolderButNotOnThePathGetsAHint) {
  const unit::Folder work;
  work.file("prog", "#!/bin/sh\n", true);
  EXPECT_EQ(find_program("prog", work.path(), "/usr/bin").error().hint,
            "it lies in the working folder: type ./prog");
}

TEST(Program, ThatMayNotBeExecutedGetsTheRightHint) {
  const unit::Folder work;
  work.file("train.py", "", false);
  work.file("job.sh", "", false);
  work.file("data", "", false);
  EXPECT_EQ(find_program("train.py", work.path(), "/usr/bin").error().hint,
            "start it with Python: python3 train.py");
  EXPECT_EQ(find_program("./job.sh", work.path(), "").error().hint,
            "start it with a shell: sh ./job.sh");
  EXPECT_EQ(find_program("./data", work.path(), "").error().hint,
            "make it executable: chmod +x ./data");
  work.file("job.yml", "", false);
  EXPECT_EQ(find_program("job.yml", work.path(), "/usr/bin").error().hint,
            "a job file is started with: muster submit job.yml");
}

TEST(Program, ThatIsAWholeCommandInQuotesIsTold) {
  EXPECT_EQ(find_program("python3 a.py --epochs 2", "/", "/usr/bin").error().hint,
            "quotes make one word of it; without them: python3 a.py --epochs 2");
  EXPECT_EQ(find_program("./nosuch x", "/", "").error().hint,
            "quotes make one word of it; without them: ./nosuch x");
  EXPECT_EQ(find_program("nosuch.yml", "/", "/usr/bin").error().hint,
            "a job file is started with: muster submit nosuch.yml");
}

TEST(Program, IsNoFolder) {
  EXPECT_EQ(find_program("/usr", "/", "").error().what, "/usr is a folder, no program");
}

TEST(SoughtOnPath, IsTheInterpreterThatEnvShallFind) {
  const unit::Folder bin;
  const std::string script = bin.file("train", "#!/usr/bin/env python3\n", true);
  EXPECT_EQ(sought_on_path("./train", script), "python3");
  EXPECT_EQ(sought_on_path("train", bin.file("run", "#!/bin/sh\n", true)), "train");
  EXPECT_EQ(sought_on_path("./run", bin.path() + "/run"), "");
  EXPECT_EQ(sought_on_path("python3", bin.file("python3", "", true)), "python3");
}

TEST(Workdir, MustBeThere) {
  EXPECT_TRUE(check_workdir("", false));
  EXPECT_TRUE(check_workdir("/", true));
  const auto missing = check_workdir("/no/such/folder", false);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().fault, base::Fault::cannot_start);
  EXPECT_EQ(missing.error().what, "no folder /no/such/folder");
  EXPECT_NE(missing.error().hint.find("--workdir"), std::string::npos);
  const std::string of_job_file = check_workdir("/no/such/folder", true).error().hint;
  EXPECT_EQ(of_job_file,
            "code: must be on every host of the job: copy the folder there, under the same path, "
            "or use a shared one");
}

}  // namespace
}  // namespace muster::host
