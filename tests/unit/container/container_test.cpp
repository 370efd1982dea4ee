// What containers see of their hosts, and what is said when there is none.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "container/explain.hpp"
#include "container/folders.hpp"

namespace muster::container {
namespace {

using model::ContainerRuntime;

model::JobSpec job_in(const std::vector<std::string>& workdirs) {
  model::JobSpec spec;
  spec.apps.clear();
  for (const std::string& workdir : workdirs) spec.apps.emplace_back().workdir = workdir;
  spec.container.emplace().image = "a";
  return spec;
}

std::vector<std::string> sources(const std::vector<model::ContainerMount>& mounts) {
  std::vector<std::string> paths;
  for (const model::ContainerMount& mount : mounts) paths.push_back(mount.source);
  return paths;
}

TEST(MountsOfJob, TheOutermostFolderIsEnough) {
  model::JobSpec spec = job_in({"/home/a/job", "/home/a/job/part"});
  spec.folders = {"/home/a/job/outputs", "/home/a/jobs"};
  EXPECT_EQ(sources(mounts_of_job(spec, {"/records/1/"})),
            (std::vector<std::string>{"/home/a/job", "/home/a/jobs", "/records/1"}));
}

TEST(MountsOfJob, WhatIsTheImagesOwnIsNotCovered) {
  const model::JobSpec spec = job_in({"/", "/usr/lib/x", "/etc", "/usrlocal", "", "/proc/1"});
  EXPECT_EQ(sources(mounts_of_job(spec, {})), std::vector<std::string>{"/usrlocal"});
}

TEST(MountsOfJob, WhatWasAskedForWins) {
  model::JobSpec spec = job_in({"/home/a"});
  spec.container->mounts = {{"/other", "/home/a", true}};
  const auto mounts = mounts_of_job(spec, {});
  ASSERT_EQ(mounts.size(), 1u);
  EXPECT_EQ(mounts.front(), spec.container->mounts.front());
}

base::Error said(ContainerRuntime runtime, const std::string& errors, int code = 125) {
  model::ContainerSpec spec;
  spec.image = "localhost/x:1";
  spec.runtime = runtime;
  return explain(spec, {code, 0, errors, {}});
}

TEST(Explain, AnImageThatIsNotThere) {
  for (const auto& [runtime, words] :
       {std::pair{ContainerRuntime::podman, "Error: localhost/x:1: image not known\n"},
        std::pair{ContainerRuntime::docker,
                  "docker: Error response from daemon: No such image: localhost/x:1.\n\n"
                  "Run 'docker run --help' for more information\n"}}) {
    const base::Error error = said(runtime, words);
    EXPECT_TRUE(error.what.ends_with("the image 'localhost/x:1' is not there")) << error.what;
    EXPECT_NE(error.hint.find("--image-from-here"), std::string::npos);
  }
}

TEST(Explain, LimitsAndCgroupsNameTheOption) {
  const base::Error limits =
      said(ContainerRuntime::podman,
           "Error: runc: runc create failed: unable to start container process: error setting "
           "rlimit type 7: error setting RLIMIT_NOFILE: operation not permitted: OCI permission "
           "denied\n");
  EXPECT_NE(limits.hint.find("--ulimit=nofile=4096:4096"), std::string::npos) << limits.hint;
  const base::Error groups = said(ContainerRuntime::podman,
                                  "Error: OCI runtime error: crun: cgroups in hybrid mode not "
                                  "supported, drop all controllers from cgroup v1\n");
  EXPECT_NE(groups.hint.find("--runtime=runc"), std::string::npos) << groups.hint;
  EXPECT_EQ(groups.fault, base::Fault::cannot_start);
}

TEST(Explain, TheLineThatIsUnderstoodCounts) {
  const base::Error error = said(ContainerRuntime::docker,
                                 "unknown flag: --nope\nSee 'docker run --help'.\n"
                                 "Usage:  docker run [OPTIONS] IMAGE [COMMAND] [ARG...]\n");
  EXPECT_TRUE(error.what.ends_with("125: unknown flag: --nope")) << error.what;
  EXPECT_EQ(error.hint, "is a --container-option misspelled?");
}

TEST(Explain, OtherWordsAreShownAsTheyAre) {
  const base::Error error = said(ContainerRuntime::podman, "WARN[0000] something\nError: odd\n", 3);
  EXPECT_EQ(error.what,
            "podman starts no container of 'localhost/x:1': it ended with code 3: Error: odd");
  EXPECT_EQ(error.hint, "try it there: podman run --rm localhost/x:1 true");
}

TEST(Explain, NoRuntimeAtAll) {
  EXPECT_EQ(no_runtime(ContainerRuntime::automatic).what, "nothing there can start a container");
  EXPECT_EQ(no_runtime(ContainerRuntime::docker).what, "docker is not installed there");
}

}  // namespace
}  // namespace muster::container
