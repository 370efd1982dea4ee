// The words of submit, explain, validate and schema.
#include "front/job_front.hpp"

#include <gtest/gtest.h>
#include <map>

namespace muster::front {
namespace {

using Words = std::vector<std::string>;

class JobFront : public testing::Test {
 protected:
  Asked asked(Words words) {
    return {.called = "submit",
            .words = std::move(words),
            .environment = {"HOME=/home/u"},
            .current_folder = "/here",
            .read_file = [this](const std::string& path, std::size_t) -> base::Result<std::string> {
              const auto found = files_.find(path);
              if (found == files_.end())
                return base::fail(base::Fault::bad_file, "", "no {}", path);
              return found->second;
            },
            .has_file = [this](const std::string& path) { return files_.contains(path); }};
  }

  std::string refusal(const base::Result<Reading>& reading) {
    return reading ? "" : reading.error().what;
  }

  std::map<std::string, std::string> files_ = {
      {"job.yml",
       "command: x ${{inputs.a}}\ninputs: {a: 1}\nresources: {instance_count: 2}\n"
       "distribution: {type: mpi}\n"},
      {"bad.yml", "comand: x\ncode: [1]\n"},
  };
};

TEST_F(JobFront, OptionsMayStandOnBothSidesOfTheFile) {
  const auto read = read_submit(asked({"--fake-nodes", "2", "job.yml", "--set", "inputs.a=7"}));
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_TRUE(read->request);
  EXPECT_EQ(read->request->spec.fake_nodes, 2U);
  EXPECT_EQ(read->request->spec.apps.front().command.back(), "x 7");
  EXPECT_EQ(read->request->spec.apps.front().workdir, "/here");
  EXPECT_FALSE(read->request->dry_run);
}

TEST_F(JobFront, TargetsAreFoundNearTheJobThenAtHome) {
  files_["/home/u/.config/muster/muster.yml"] = "targets: {t: {hosts: 'a:1,b:1'}}";
  auto read = read_submit(asked({"job.yml", "--target", "t"}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->request->spec.hosts.size(), 2U);
  files_["/here/muster.yml"] = "targets: {t: {hostfile: hosts}}";
  files_["/here/hosts"] = "c slots=1\nd slots=1\n";
  read = read_submit(asked({"job.yml", "--target", "t"}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->request->spec.hosts.front().name, "c");
  files_["/here/muster.yml"] = "targets: []";
  read = read_submit(asked({"job.yml"}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->complaints.size(), 1U);
}

TEST_F(JobFront, RefusesWordsThatMakeNoSense) {
  EXPECT_EQ(refusal(read_submit(asked({}))), "no job file given");
  EXPECT_EQ(refusal(read_submit(asked({"a.yml", "b.yml"}))),
            "one job file at a time, not also 'b.yml'");
  EXPECT_EQ(refusal(read_submit(asked({"job.yml", "--set", "x"}))),
            "--set takes inputs.NAME=VALUE, not 'x'");
  EXPECT_EQ(refusal(read_submit(asked({"job.yml", "--target", "t", "-H", "a"}))),
            "-H, --hostfile, --fake-nodes and --target exclude each other");
  EXPECT_EQ(refusal(read_submit(asked({"job.yml", "--target", "cloud"}))),
            "there is no compute target 'cloud'");
  EXPECT_EQ(refusal(read_submit(asked({"no.yml"}))), "no no.yml");
  EXPECT_EQ(refusal(read_schema(asked({"x"}))), "muster schema takes no words, such as 'x'");
}

TEST_F(JobFront, ValidateGathersComplaints) {
  const auto bad = read_validate(asked({"bad.yml", "--json"}));
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->complaints.size(), 2U);
  EXPECT_EQ(bad->checked, "bad.yml");
  const auto good = read_validate(asked({"job.yml"}));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->text, "job.yml: a command job, nothing wrong; it asks for 2 nodes\n");
}

TEST_F(JobFront, ExplainTakesFilesAndCommandLines) {
  const auto file = read_explain(asked({"job.yml", "--fake-nodes", "2", "--json"}));
  ASSERT_TRUE(file) << file.error().what;
  EXPECT_TRUE(file->request->dry_run && file->request->show_environment && file->request->json);
  const auto words = read_explain(asked({"--", "muster", "run", "-n", "3", "x"}));
  ASSERT_TRUE(words) << words.error().what;
  EXPECT_TRUE(words->request->dry_run);
  EXPECT_EQ(words->request->spec.apps.front().ranks, 3U);
  EXPECT_TRUE(read_explain(asked({"--", "mpirun", "-np", "3", "x"})));
  EXPECT_EQ(refusal(read_explain(asked({"--", "ls"}))),
            "'ls' is no command that muster can explain");
  EXPECT_EQ(refusal(read_explain(asked({"--"}))), "nothing to explain");
}

TEST_F(JobFront, DraftsThatLaunchGetTheHostsOfTheJob) {
  files_["d.yml"] = "command: mpirun x\ndistributed: {mpi: {worker: {count: 2, slots_per: 3}}}\n";
  auto read = read_submit(asked({"d.yml", "--fake-nodes", "2"}));
  ASSERT_TRUE(read) << read.error().what;
  ASSERT_TRUE(read->request->launchers);
  EXPECT_EQ(read->request->launchers->hostfile, "fake-0 slots=3\nfake-1 slots=3\n");
  EXPECT_TRUE(read->request->launchers->fake_nodes);
  EXPECT_EQ(read->request->spec.fake_nodes, 0U);
  read = read_submit(asked({"d.yml", "-H", "a:4,b"}));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->request->launchers->hostfile, "a slots=4\nb slots=3\n");
  EXPECT_TRUE(read->request->spec.hosts.empty());
}

}  // namespace
}  // namespace muster::front
