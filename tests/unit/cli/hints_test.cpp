// What a refusal proposes works, with all that the user has typed.
#include <algorithm>
#include <gtest/gtest.h>

#include "unit/cli/command_line.hpp"

namespace muster::cli {
namespace {

using Words = std::vector<std::string>;

// The word after `before` in a text.
std::string word_after(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find_first_not_of("0123456789", begin) - begin);
}

void expect_starts(const Words& words) {
  const Answer answer = CommandLine()(words);
  EXPECT_EQ(answer.code, 0) << answer.err;
  ASSERT_EQ(answer.runs.size(), 1U);
  const model::JobSpec& job = answer.runs.front().input.spec;
  EXPECT_EQ(job.carrier.command, (Words{"rsh", "-x"}));
  EXPECT_EQ(std::ranges::count(job.apps.front().exports, "A", &model::EnvSetting::name), 1);
}

TEST(Hints, TooManyRanksAreRepairedInTheLineThatWasTyped) {
  for (const std::string launcher : {"run", "mpirun"}) {
    const std::string count = launcher == "run" ? "-n" : "-np";
    Words typed = {launcher, "--ssh-command", "rsh -x", "-x", "A=1", count, "9",
                   "-H",     "a:2,b:2",       "true"};
    const std::string said = CommandLine()(typed).err;
    Words shared = typed;
    ASSERT_NE(said.find("add --oversubscribe"), std::string::npos) << said;
    shared.insert(shared.begin() + 1, "--oversubscribe");
    expect_starts(shared);
    typed[6] = word_after(said, "use " + count + " ");
    EXPECT_EQ(typed[6], "4");
    expect_starts(typed);
  }
}

TEST(Hints, HorovodrunIsToldWhatItsOwnLineMayHave) {
  Words typed = {"horovodrun", "--ssh-command", "rsh -x", "--mpi-args=-x A=1", "-np", "9",
                 "-H",         "a:2,b:2",       "true"};
  const std::string said = CommandLine()(typed).err;
  EXPECT_EQ(said.find("muster run"), std::string::npos) << said;
  typed[5] = word_after(said, "use -np ");
  expect_starts(typed);
  typed[5] = "9";
  typed[7] = "a:5,b:5";
  expect_starts(typed);
}

// "--hostfile $AZUREML_MPI_HOSTFILE python train.py", where the variable has no value.
TEST(Hints, AnEmptyVariableForAHostfileIsNamed) {
  const Words behind = {"no-such-trainer", "train.py"};
  for (Words typed : {Words{"mpirun", "-np", "2", "--hostfile"},
                      {"run", "-n", "2", "--hostfile"},
                      {"horovodrun", "-np", "2", "--hostfile"},
                      {"mpiexec.hydra", "-f"},
                      {"deepspeed", "--hostfile"}}) {
    Words quoted = typed;
    quoted.emplace_back("");
    for (Words* words : {&typed, &quoted}) {
      words->insert(words->end(), behind.begin(), behind.end());
      const std::string said = CommandLine()(*words).err;
      EXPECT_NE(said.find("$AZUREML_MPI_HOSTFILE"), std::string::npos) << words->front() << said;
    }
  }
  for (const Words& next : {Words{"mpirun", "--hostfile", "-np", "2", "true"},
                            {"mpirun", "-H", "-np", "2", "true"},
                            {"mpirun", "-np", "-H", "localhost", "true"},
                            {"mpiexec.hydra", "-hosts", "-n", "2", "true"}}) {
    const std::string said = CommandLine()(next).err;
    EXPECT_NE(said.find("Is a variable in its place empty?"), std::string::npos) << said;
  }
  const std::string ended = CommandLine()({"mpirun", "-np"}).err;
  EXPECT_EQ(ended.find("Is a variable"), std::string::npos) << ended;
}

TEST(Hints, AWrongNameForAHostfileIsDoubtedFirst) {
  const std::string said = CommandLine()({"mpirun", "--hostfile", "nosuch", "true"}).err;
  EXPECT_NE(said.find("is the name right?"), std::string::npos) << said;
  const std::string next = CommandLine()({"mpirun", "--hostfile", "train.py"}).err;
  EXPECT_EQ(next.find("is the name right?"), std::string::npos) << next;
}

TEST(Hints, WhatIsNoCommandIsStartedByAnother) {
  const std::vector<std::pair<Words, std::string>> lines = {
      {{"job.yml", "--set", "inputs.a=1"},
       "to start a job file: muster submit job.yml --set inputs.a=1"},
      {{"./sweeps/lr.yaml"}, "to start a job file: muster submit ./sweeps/lr.yaml"},
      {{"train.runconfig"}, "to start a job file: muster submit train.runconfig"},
      {{"src/.azureml/train"}, "to start a job file: muster submit src/.azureml/train"},
      {{"a.py", "--lr", "1"}, "to start a program: muster run -n 4 python3 a.py --lr 1"},
      {{"a.sh"}, "to start a program: muster run -n 4 sh a.sh"},
      {{"run -n 2 ./prog"}, "quotes make one word of it; without them: muster run -n 2 ./prog"},
      {{"-n", "2", "./prog"}, "to start a program: muster run -n 2 ./prog"}};
  for (const auto& [typed, hint] : lines) {
    const std::string said = CommandLine()(typed).err;
    EXPECT_NE(said.find("hint: " + hint + "\n"), std::string::npos) << said;
  }
}

TEST(Hints, AShellIsKnownAgain) {
  for (const auto& [typed, meant] : std::vector<std::pair<std::string, std::string>>{
           {"bsh", "did you mean bash?"},
           {"fis", "did you mean fish?"},
           {"powershell", "use muster completion bash, zsh or fish"}}) {
    const std::string said = CommandLine()({"completion", typed}).err;
    EXPECT_NE(said.find("hint: " + meant + "\n"), std::string::npos) << said;
  }
}

TEST(Hints, OptionsInFrontOfACommandAreMovedBehindIt) {
  const std::vector<std::pair<Words, std::string>> lines = {
      {{"-q", "submit", "job.yml"}, "options follow the command: muster submit -q job.yml"},
      {{"--color", "never", "ps"}, "options follow the command: muster ps --color never"},
      {{"--color=never", "-q", "logs", "last"},
       "options follow the command: muster logs --color=never -q last"},
      {{"-v", "ps", "--all"}, "options follow the command: muster ps --all"},
      {{"-v", "run", "-n", "2", "./a b"}, "options follow the command: muster run -v -n 2 './a b'"},
      {{"-q", "version"}, "options follow the command: muster version"},
      // These are programs.
      {{"-x", "A=1", "ps"}, "to start a program: muster run -x A=1 ps"},
      {{"-q", "./prog", "submit"}, "to start a program: muster run -q ./prog submit"},
      {{"--", "ps"}, "to start a program: muster run -- ps"}};
  for (const auto& [typed, hint] : lines) {
    const std::string said = CommandLine()(typed).err;
    EXPECT_NE(said.find("hint: " + hint + "\n"), std::string::npos) << said;
  }
}

TEST(Hints, ACommandLineToExplainComesAfterDashes) {
  const std::vector<std::pair<Words, std::string>> lines = {
      {{"run", "-n", "2", "./a b"}, "muster explain -- run -n 2 './a b'"},
      {{"rnu", "-n", "2", "x"}, "muster explain -- run -n 2 x"},
      {{"muster", "torchrun", "t.py"}, "muster explain -- torchrun t.py"},
      {{"mpirun"}, "muster explain -- mpirun"}};
  for (auto [typed, meant] : lines) {
    typed.insert(typed.begin(), "explain");
    const std::string said = CommandLine()(typed).err;
    EXPECT_NE(said.find("after two dashes: " + meant + "\n"), std::string::npos) << said;
  }
  EXPECT_EQ(CommandLine()({"explain", "job.yml", "-n", "2"}).err.find("two dashes"),
            std::string::npos);
  EXPECT_NE(CommandLine()({"explain", "--", "rnu", "x"}).err.find("did you mean run?"),
            std::string::npos);
}

TEST(Hints, ASchedulerIsKnownByItsOtherNames) {
  for (const auto& [typed, meant] : std::vector<std::pair<std::string, std::string>>{
           {"k8s", "kubernetes"}, {"sbatch", "slurm"}, {"qsub", "grid_engine"}}) {
    const std::string said = CommandLine()({"export", typed, "job.yml"}).err;
    EXPECT_NE(said.find("did you mean " + meant + "?"), std::string::npos) << said;
  }
}

std::string told_in_a_dry_run(Words words, Words environment = {"PATH=/usr/bin:/bin"}) {
  CommandLine line;
  line.environment = std::move(environment);
  words.insert(words.begin() + 1, "--dry-run");
  return line(words).err;
}

TEST(Hints, CountsOfThreadsThatTheLauncherWouldNotSetAreTold) {
  for (const Words& words : {Words{"mpirun", "-np", "2", "true"},
                             {"mpiexec.hydra", "-n", "2", "true"},
                             {"horovodrun", "-np", "2", "true"}}) {
    EXPECT_NE(told_in_a_dry_run(words).find("OMP_NUM_THREADS and its like"), std::string::npos);
    EXPECT_EQ(CommandLine()(words).err.find("OMP_NUM_THREADS"), std::string::npos);
    Words unset = words;
    unset.insert(unset.begin() + 1, {"--unset", "OMP_NUM_THREADS"});
    EXPECT_EQ(told_in_a_dry_run(unset), "");
    for (const char* own : {"OMP_NUM_THREADS=4", "MKL_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
                            "NUMEXPR_NUM_THREADS=1"}) {
      EXPECT_EQ(told_in_a_dry_run(words, {"PATH=/usr/bin:/bin", own}), "");
    }
  }
  EXPECT_EQ(told_in_a_dry_run({"run", "-n", "2", "true"}), "");
}

// Whoever looks at what ranks are given hears of it, and nobody else: those launchers say nothing.
TEST(Hints, CountsOfThreadsAreToldByExplainAndWithVerbose) {
  const std::vector<std::pair<Words, std::string>> lines = {
      {{"mpirun", "-np", "2", "true"}, "--verbose"},
      {{"mpiexec.hydra", "-n", "2", "true"}, "-verbose"},
      {{"horovodrun", "-np", "2", "true"}, "--verbose"}};
  constexpr const char* kTold = "OMP_NUM_THREADS and its like are each rank's share of the cores";
  for (const auto& [words, verbose] : lines) {
    EXPECT_EQ(CommandLine()(words).err.find(kTold), std::string::npos) << words[0];
    Words explained = {"explain", "--"};
    explained.insert(explained.end(), words.begin(), words.end());
    EXPECT_NE(CommandLine()(explained).err.find(kTold), std::string::npos) << words[0];
    Words told = words;
    told.insert(told.begin() + 1, verbose);
    EXPECT_NE(CommandLine()(told).err.find(kTold), std::string::npos) << words[0];
    for (Words* said : {&explained, &told}) {
      CommandLine line;
      line.environment.emplace_back("OMP_NUM_THREADS=4");
      EXPECT_EQ(line(*said).err.find(kTold), std::string::npos) << words[0];
    }
  }
  EXPECT_EQ(CommandLine()({"explain", "--", "run", "-n", "2", "true"}).err.find(kTold),
            std::string::npos);
}

// What the commands of other tools are called here keeps what was typed behind them, where it makes
// sense there, and is read without a complaint about its words.
TEST(Hints, ACommandOfAnotherToolKeepsItsWords) {
  const std::vector<std::pair<Words, std::string>> lines = {
      {{"kill", "--foreign", "kufari"}, "muster stop --foreign kufari"},
      {{"tail", "--since", "10m", "--err", "a b"}, "muster logs -f --since 10m --err 'a b'"},
      {{"list", "--all", "--tag", "a=b"}, "muster ps --all --tag a=b"},
      {{"list", "kufari"}, "muster ps"},
      {{"kill", "--zebra"}, "muster stop RUN"},
      {{"lint", "job.yml", "--json"}, "muster validate job.yml --json"},
      {{"start", "./prog", "-n", "3"}, "muster run -n 4 ./prog -n 3"},
      {{"start", "-n", "2", "./prog"}, "muster run -n 4 PROGRAM"},
      {{"sbatch", "job.sh"}, "muster submit --target NAME job.sh"},
      {{"status", "last"}, "muster ps, or muster show RUN"}};
  for (const auto& [typed, meant] : lines) {
    const std::string said = CommandLine()(typed).err;
    EXPECT_NE(said.find("did you mean: " + meant + "\n"), std::string::npos) << said;
  }
}

TEST(Hints, ALineWithSeveralProgramsKeepsAllOfThem) {
  const Words typed = {"run", "-H", "a:2,b:2", "-x", "A=1", "--ssh-command", "rsh -x", "-n", "1",
                       "a",   ":",  "-n",      "2",  "b"};
  const std::string said = CommandLine()(typed).err;
  const std::string rest =
      "-H a:2,b:2 -x A=1 --ssh-command 'rsh -x' -n 1 a : -n 2 b; if the ':' is for the program: "
      "muster run -H a:2,b:2 -x A=1 --ssh-command 'rsh -x' -n 1 -- a : -n 2 b\n";
  EXPECT_NE(said.find("did you mean muster mpirun " + rest), std::string::npos) << said;
  Words several = typed;
  several.front() = "mpirun";
  const Answer both = CommandLine()(several);
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.runs.at(0).input.spec.apps.size(), 2U);
  Words one = typed;
  one.insert(one.begin() + 9, "--");
  expect_starts(one);
}

TEST(Hints, AMistypedCommandKeepsItsWords) {
  EXPECT_NE(CommandLine()({"sumbit", "--dry-run", "a job.yml"})
                .err.find("did you mean: muster submit --dry-run 'a job.yml'\n"),
            std::string::npos);
}

}  // namespace
}  // namespace muster::cli
