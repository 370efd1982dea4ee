// From words to what a head is asked for, and from its report to the exit code, without any rank.
#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>

#include "unit/cli/command_line.hpp"
#include "unit/folder.hpp"

namespace muster::cli::run_test {
namespace {

using model::Cause;
using model::RunReport;
using Words = std::vector<std::string>;

// "node1: 0 1, node2: 2 3"
std::string places(const model::Plan& plan) {
  std::string text;
  for (const model::PlannedNode& node : plan.nodes) {
    text += (text.empty() ? "" : ", ") + node.host.name + ":";
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
      const base::NodeIndex at = plan.ranks[rank].node;
      if (&plan.nodes[at.value] == &node) text += " " + std::to_string(rank);
    }
  }
  return text;
}

std::string places(const Answer& answer, std::size_t run = 0) {
  return run < answer.runs.size() ? places(answer.runs[run].input.plan) : "no run: " + answer.err;
}

RunReport failed(int code, int signal = 0) {
  RunReport report;
  report.cause = Cause::rank_failed;
  report.first = {base::Rank(1), 4711, code, signal};
  report.host = "node1";
  report.world_size = 2;
  return report;
}

RunReport fault(base::Fault fault) {
  RunReport report;
  report.cause = Cause::fault;
  report.error = {fault, "something is wrong", "do this", {}};
  return report;
}

// The words of each front end for the same two ranks of `true` on two hosts.
const std::vector<Words> kTwoRanks = {
    {"run", "-n", "2", "-H", "node1,node2", "true"},
    {"mpirun", "-np", "2", "-H", "node1,node2", "true"},
    {"mpiexec.hydra", "-n", "2", "-hosts", "node1,node2", "true"},
    {"horovodrun", "-np", "2", "-H", "node1:1,node2:1", "true"},
};

TEST(RunWords, BecomeAPlanThatOneHeadCarriesOut) {
  const CommandLine muster;
  for (const Words& words : kTwoRanks) {
    const Answer answer = muster(words);
    EXPECT_EQ(places(answer), "node1: 0, node2: 1") << words[0];
    EXPECT_EQ(answer.runs.size(), 1U) << words[0];
    EXPECT_EQ(answer.code, 0) << words[0] << answer.err;
    EXPECT_EQ(answer.out, "") << words[0];
  }
}

TEST(RunWords, ThatOnlyShowThePlanAskNoHead) {
  const CommandLine muster;
  for (Words words : kTwoRanks) {
    const bool is_open_mpi = words[0] == "mpirun";
    words.insert(words.begin() + 1, is_open_mpi ? "--display-map" : "--dry-run");
    if (is_open_mpi) words.insert(words.begin() + 1, "--do-not-launch");
    const Answer answer = muster(words);
    EXPECT_EQ(answer.code, 0) << words[0] << answer.err;
    EXPECT_EQ(answer.runs.size(), 0U) << words[0];
    EXPECT_NE(answer.out.find("node2"), std::string::npos) << words[0] << answer.out;
  }
}

TEST(RunWords, ThatAreWrongAskNoHead) {
  const CommandLine muster;
  const unit::Folder folder;
  const std::string hosts = folder.file("hosts", "node1 slots=2\nnode2 slots=none\n", false);
  const std::vector<std::pair<Words, std::string>> wrong = {
      {{"run", "-n", "0", "true"}, "-n"},
      {{"run", "-n", "2", "--tagg", "true"}, "--tag"},
      {{"run", "-n", "2", "--hostfile", hosts, "true"}, hosts + ":2"},
      {{"mpirun", "-np", "9", "-H", "node1:4,node2:4", "true"}, "slots"},
      {{"run"}, "program"},
      {{"rum"}, "did you mean: muster run"},
  };
  for (const auto& [words, told] : wrong) {
    const Answer answer = muster(words);
    EXPECT_NE(answer.code, 0) << words[0];
    EXPECT_NE(answer.err.find(told), std::string::npos) << answer.err;
    EXPECT_EQ(answer.runs.size(), 0U) << words[0];
    EXPECT_EQ(answer.out, "") << words[0];
  }
}

TEST(RunReports, BecomeTheCodesOfEachLaunchersStyle) {
  RunReport interrupted;
  interrupted.cause = Cause::interrupted;
  interrupted.signal = SIGINT;
  RunReport hydras = failed(0, SIGSEGV);
  hydras.codes = SIGSEGV;
  RunReport both = failed(3);
  both.codes = 3;
  const std::vector<RunReport> reports = {RunReport(), both, hydras,
                                          fault(base::Fault::unreachable), interrupted};
  const std::vector<std::vector<int>> codes = {
      {0, 3, 128 + SIGSEGV, 243, 130},  // run
      {0, 3, 128 + SIGSEGV, 1, 1},      // mpirun
      {0, 3, SIGSEGV, 255, SIGINT},     // mpiexec.hydra
      {0, 3, 128 + SIGSEGV, 243, 130},  // horovodrun
  };
  CommandLine muster;
  for (std::size_t front = 0; front < kTwoRanks.size(); ++front) {
    for (std::size_t i = 0; i < reports.size(); ++i) {
      muster.run = [&](head::HeadOptions& options) {
        RunReport report = reports[i];
        report.style = options.input.spec.failure.code;
        return report;
      };
      const Answer answer = muster(kTwoRanks[front]);
      EXPECT_EQ(answer.code, codes[front][i]) << kTwoRanks[front][0] << " " << i << answer.err;
      EXPECT_EQ(answer.err.empty(), i == 0) << answer.err;
    }
  }
}

TEST(RunReports, OfAFaultBeforeAnythingStartedAreTold) {
  CommandLine muster;
  muster.run = [](head::HeadOptions&) -> base::Result<RunReport> {
    return base::fail(base::Fault::internal, "raise `ulimit -n`", "no descriptors are left");
  };
  const Answer answer = muster({"run", "-n", "2", "true"});
  EXPECT_EQ(answer.code, base::exit_code(base::Fault::internal));
  EXPECT_NE(answer.err.find("no descriptors are left"), std::string::npos) << answer.err;
  EXPECT_NE(answer.err.find("raise `ulimit -n`"), std::string::npos) << answer.err;
}

// Agents tell it before any rank starts: the job is planned once more.
TEST(RunIsPlannedAnew, WhenTwoNamesAreOneHost) {
  CommandLine muster;
  int heads = 0;
  muster.run = [&](head::HeadOptions& options) {
    RunReport report;
    const auto& nodes = options.input.plan.nodes;
    if (++heads == 1) report.same_hosts.push_back({nodes[2].host, nodes[0].host});
    return report;
  };
  const Answer answer = muster({"run", "--per-node", "2", "-H", "node1,node2,alias1", "true"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  ASSERT_EQ(answer.runs.size(), 2U);
  EXPECT_EQ(places(answer, 0), "node1: 0 1, node2: 2 3, alias1: 4 5");
  EXPECT_EQ(places(answer, 1), "node1: 0 1, node2: 2 3");
  EXPECT_NE(answer.err.find("alias1 is node1 under another name"), std::string::npos) << answer.err;
}

RunReport without_input() {
  RunReport report = failed(1);
  report.tail = {"EOFError: EOF when reading a line"};
  return report;
}

// Only to a rank that had none, and only what its front end has.
TEST(RunReports, OfMissingInputSayHowToGiveIt) {
  CommandLine muster;
  muster.run = [](head::HeadOptions&) { return without_input(); };
  const std::string hosts = "node1,node2";
  const std::vector<std::pair<Words, std::string>> kTold = {
      {{"run", "-n", "2", "-H", hosts, "true"}, "`muster run --stdin 0`"},
      {{"run", "-n", "2", "-H", hosts, "--stdin", "0", "true"}, "`--stdin 1` gives it to rank 1"},
      {{"run", "-n", "2", "-H", hosts, "--stdin", "1", "true"}, ""},
      {{"run", "-n", "2", "-H", hosts, "--stdin", "all", "true"}, ""},
      {{"mpirun", "-np", "2", "-H", hosts, "true"}, "`--stdin 1` gives it to rank 1"},
      {{"mpirun", "-np", "2", "-H", hosts, "--stdin", "1", "true"}, ""},
      {{"mpiexec.hydra", "-n", "2", "-hosts", hosts, "true"}, ""},
      {{"horovodrun", "-np", "2", "-H", "node1:1,node2:1", "true"}, ""},
  };
  for (const auto& [words, told] : kTold) {
    const std::string text = muster(words).err;
    EXPECT_NE(text.find("EOFError"), std::string::npos) << words[0] << text;
    if (told.empty()) {
      EXPECT_EQ(text.find("hint:"), std::string::npos) << words[0] << text;
    } else {
      EXPECT_NE(text.find(told), std::string::npos) << words[0] << text;
    }
  }
}

// A job file's run, with its record in a folder of the test.
class RecordedRun : public testing::Test {
 protected:
  RecordedRun() {
    muster_.environment.push_back("MUSTER_RECORDS=" + folder_.path() + "/records");
    file_ = folder_.file(
        "job.yml", "command: echo 1\ndistribution: {type: mpi}\nresources: {instance_count: 2}\n",
        false);
  }
  [[nodiscard]] Answer submit() const { return muster_({"submit", "--fake-nodes", "2", file_}); }
  [[nodiscard]] std::string shown() const { return muster_({"show", "last"}).out; }

  unit::Folder folder_;
  CommandLine muster_;
  std::string file_;
};

TEST_F(RecordedRun, IsShownAsItsHeadToldItsEvents) {
  muster_.run = [](head::HeadOptions& options) {
    RunReport report = failed(7);
    for (const std::uint32_t rank : {0U, 1U}) {
      options.told(model::RankStarted{base::Rank(rank), base::NodeIndex(rank), 4711});
    }
    options.told(model::RankEnded{{base::Rank(0), 4711}});
    options.told(model::RankEnded{{base::Rank(1), 4711, 7}});
    return report;
  };
  EXPECT_EQ(submit().code, 7);
  const std::string text = shown();
  EXPECT_NE(text.find("rank 1 on node1 exited with code 7"), std::string::npos) << text;
  EXPECT_NE(text.find("2 on 2 hosts"), std::string::npos) << text;
  EXPECT_EQ(muster_({"wait", "last"}).code, 7);
  EXPECT_NE(muster_({"report", "last"}).out.find("rank 1"), std::string::npos);
}

TEST_F(RecordedRun, WithoutInputIsToldWhatAJobFileCannotGive) {
  muster_.run = [](head::HeadOptions&) { return without_input(); };
  const std::string text = submit().err;
  EXPECT_NE(text.find("job files and detached runs have no stdin"), std::string::npos) << text;
}

TEST_F(RecordedRun, ThatNeverBeganSaysWhy) {
  muster_.run = [](head::HeadOptions&) -> base::Result<RunReport> {
    return base::fail(base::Fault::internal, "", "no descriptors are left");
  };
  EXPECT_EQ(submit().code, base::exit_code(base::Fault::internal));
  EXPECT_NE(shown().find("no descriptors are left"), std::string::npos) << shown();
}

// All of them are named at once, and nothing is done to the others.
TEST_F(RecordedRun, IsLeftAloneWhereOthersAreMissing) {
  ASSERT_EQ(submit().code, 0);
  for (const std::string verb : {"stop", "wait", "rm"}) {
    const Answer answer = muster_({verb, "aa", "last", "bb", "cc"});
    EXPECT_EQ(answer.code, base::exit_code(base::Fault::usage)) << verb;
    EXPECT_EQ(answer.out, "") << verb;
    for (const std::string missing : {"aa", "bb", "cc"}) {
      EXPECT_NE(answer.err.find("no run " + missing), std::string::npos) << verb << answer.err;
    }
    EXPECT_EQ(answer.err.find("hint"), answer.err.rfind("hint")) << answer.err;
  }
  EXPECT_NE(shown().find("completed"), std::string::npos) << shown();
}

TEST_F(RecordedRun, AsksNoHeadWhenItCannotBePlanned) {
  const Answer answer = muster_({"submit", "-H", "node1", file_});
  EXPECT_NE(answer.code, 0);
  EXPECT_EQ(answer.runs.size(), 0U);
}

// An output named artifacts is the copy of the code, which is made only where the code is.
TEST_F(RecordedRun, MakesTheFolderOfItsCodeUnlessACopyIs) {
  const std::string file = folder_.file("made.yml",
                                        "type: command\ncommand: echo 1\ncode: src\n"
                                        "outputs: {artifacts: {type: uri_folder}}\n",
                                        false);
  std::string said;
  const auto folders = [&] {
    const Answer answer = muster_({"submit", "-H", "localhost", file});
    EXPECT_EQ(answer.runs.size(), 1U) << answer.err;
    said = answer.err;
    return answer.runs.empty() ? Words() : answer.runs[0].input.spec.folders;
  };
  const auto is_code = [](const std::string& folder) { return folder.ends_with("/code"); };
  EXPECT_TRUE(std::ranges::any_of(folders(), is_code)) << "the host may have its own code";
  const std::string empty = "the output artifacts will be empty: the job runs in " +
                            folder_.path() + "/src itself, not in a copy of it";
  EXPECT_NE(said.find(empty), std::string::npos) << said;
  const Answer planned = muster_({"submit", "--dry-run", "-H", "localhost", file});
  EXPECT_NE((planned.out + planned.err).find(empty), std::string::npos) << planned.out;
  std::filesystem::create_directory(folder_.path() + "/src");
  EXPECT_TRUE(std::ranges::none_of(folders(), is_code));
  EXPECT_EQ(said.find(empty), std::string::npos) << said;
}

TEST_F(RecordedRun, SaysHowItsHostsWereReachedWhenItGoes) {
  const std::string file = folder_.file("out.yml",
                                        "type: command\ncommand: echo 1\n"
                                        "distribution: {type: mpi}\n"
                                        "resources: {instance_count: 2}\n"
                                        "outputs: {model: {type: uri_folder}}\n",
                                        false);
  const Answer answer = muster_({"submit", "-H", "ana@node1,node2", "--ssh-command", "ssh -J jump",
                                 "--ssh-port", "2222", file});
  EXPECT_FALSE(answer.runs.empty()) << answer.err;
  const std::string said = muster_({"rm", "last"}).err;
  EXPECT_NE(said.find("node1, node2; `muster gc -H ana@node1,node2 --ssh-command 'ssh -J jump' "
                      "--ssh-port 2222` removes them"),
            std::string::npos)
      << said;
}

// What only another host can tell is asked for before the plan is made.
TEST(RunOfHardware, IsAskedForFirst) {
  CommandLine muster;
  muster.survey = [](head::HeadOptions&) {
    head::Survey survey;
    survey.report = fault(base::Fault::unreachable);
    return survey;
  };
  const Answer lost = muster({"run", "-n", "2", "-H", "node1:2", "--bind-to", "core", "true"});
  EXPECT_EQ(lost.code, 243);
  ASSERT_EQ(lost.surveys.size(), 1U) << lost.err;
  EXPECT_EQ(lost.surveys[0].input.plan.nodes.size(), 1U);
  EXPECT_TRUE(lost.surveys[0].input.plan.ranks.empty());
  EXPECT_EQ(lost.runs.size(), 0U);
}

}  // namespace
}  // namespace muster::cli::run_test
