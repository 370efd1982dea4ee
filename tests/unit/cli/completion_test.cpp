// Completion scripts do in a real shell what they should; zsh's is only read, where there is a zsh.
#include "cli/completion.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <sstream>

#include "front/front.hpp"

namespace muster::cli {
namespace {

std::vector<std::string> option_names(const front::Front& front) {
  std::vector<std::string> names;
  for (const front::OptionText* option : front.options()) {
    for (const std::string_view name : front::names_of(*option)) names.emplace_back(name);
  }
  return names;
}

class Completion : public testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "muster-completion-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string script(std::string_view shell) {
    const std::string path = folder_ + "/" + std::string(shell);
    std::ofstream(path) << completion(shell).value_or("");
    return path;
  }

  // What bash offers for the last of the words.
  std::set<std::string> offered(const std::string& words) {
    return lines_of("bash --norc -c '. ./bash; compopt() { :; }; COMP_WORDS=(" + words +
                    "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _muster; "
                    "printf \"%s\\n\" \"${COMPREPLY[@]}\"'");
  }

  // The same of fish, without the texts beside the words.
  std::set<std::string> offered_by_fish(const std::string& line) {
    return lines_of("fish --no-config -c 'source ./fish; complete -C \"" + line + "\"' | cut -f1");
  }

  void write_hosts() const {
    std::filesystem::create_directory(folder_ + "/.ssh");
    std::ofstream(folder_ + "/.ssh/config") << "Include  nothing conf.d  \"conf.d/*.conf\" "
                                               "~/more\nHost node1 node2 *.site !x\n  HostName a\n";
    std::filesystem::create_directory(folder_ + "/.ssh/conf.d");
    std::ofstream(folder_ + "/.ssh/conf.d/lab.conf") << "Host lab1\n";
    std::ofstream(folder_ + "/more") << "Host=more1\n";
    std::ofstream(folder_ + "/.ssh/known_hosts")
        << "|1|hash= ssh-rsa A\nbigone,10.0.0.7 ssh-rsa A\n[node7]:2222 ssh-rsa A\n";
  }

  // Stands for muster, and offers two runs and what their jobs are called.
  void write_program() const {
    const std::string path = folder_ + "/muster";
    std::ofstream(path) << "#!/bin/sh\n"
                           "test \"$*\" = 'completion runs' || exit 1\n"
                           "printf '20261122-2-sozunu\\tpython3 -c a:b\\n'\n"
                           "printf '20261121-1-kufari\\tmy train\\n'\n"
                           "printf 'lines/my train\\t20261121-1-kufari\\n'\n"
                           "printf 'my train\\t20261121-1-kufari\\n'\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  // The same with names that shells would take apart, or carry out.
  void write_program_with_odd_names() const {
    const std::string path = folder_ + "/muster";
    std::ofstream(path) << "#!/bin/sh\n"
                           "printf '%s\\t20261121-1-kufari\\n' 'a:b' 'ex/a:b' 'lr=0.1 x' "
                           "\"it's\" 'say \"x\"' 'cost $(touch ran)'\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  // What a command prints in the folder, which is its home and has the first programs.
  std::set<std::string> lines_of(const std::string& command) const {
    const std::string there =
        "cd " + folder_ + " && export HOME=$PWD PATH=$PWD:$PATH && " + command;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(there.c_str(), "r"), pclose);
    std::string text;
    for (int c = 0; pipe && (c = std::fgetc(pipe.get())) != EOF;) text += static_cast<char>(c);
    std::istringstream lines(text);
    std::set<std::string> found;
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) found.insert(line);
    }
    return found;
  }

  std::string folder_;
};

using Set = std::set<std::string>;

TEST_F(Completion, OfBashKnowsCommandsAndOptions) {
  script("bash");
  EXPECT_EQ(offered("muster comp"), Set{"completion"});
  EXPECT_EQ(offered("muster completion \"\""), (Set{"bash", "fish", "zsh"}));
  EXPECT_EQ(offered("muster run --ta"), Set{"--tag"});
  EXPECT_EQ(offered("muster run -n 4 --tag --dry"), Set{"--dry-run"});
}

TEST_F(Completion, OfBashKnowsValues) {
  script("bash");
  std::filesystem::create_directory(folder_ + "/logs.d");
  std::ofstream(folder_ + "/logs.txt") << "x";
  EXPECT_EQ(offered("muster run --on-failure \"\""), (Set{"abort", "continue"}));
  EXPECT_EQ(offered("muster run --on-failure ="), (Set{"abort", "continue"}));
  EXPECT_EQ(offered("muster run --on-failure = a"), Set{"abort"});
  EXPECT_EQ(offered("muster run --map-by s"), (Set{"seq", "slot"}));
  EXPECT_EQ(offered("muster run --logs log"), Set{"logs.d"});
  EXPECT_EQ(offered("muster run --hostfile log"), (Set{"logs.d", "logs.txt"}));
  EXPECT_EQ(offered("muster run --grace \"\""), Set{});
}

TEST_F(Completion, OfBashKnowsWhichCommandsTakeAFile) {
  script("bash");
  std::ofstream(folder_ + "/job.yml") << "x";
  EXPECT_EQ(offered("muster submit jo"), Set{"job.yml"});
  EXPECT_EQ(offered("muster submit job.yml --targ"), Set{"--target"});
  EXPECT_EQ(offered("muster explain --fake-nodes 2 jo"), Set{"job.yml"});
}

TEST_F(Completion, OfBashKnowsRuns) {
  script("bash");
  EXPECT_EQ(offered("muster show la"), Set{"last"});
  EXPECT_EQ(offered("muster logs -f la"), Set{"last"});
  EXPECT_EQ(offered("muster ps x"), Set{});
}

TEST_F(Completion, OfBashKnowsHosts) {
  script("bash");
  write_hosts();
  EXPECT_EQ(offered("muster run -H n"), (Set{"node1", "node2", "node7"}));
  EXPECT_EQ(offered("muster run -H node1,b"), Set{"node1,bigone"});
  EXPECT_EQ(offered("muster mpirun --host node1,node"),
            (Set{"node1,node1", "node1,node2", "node1,node7"}));
  EXPECT_EQ(offered("muster run -H l"), Set{"lab1"}) << "of a file that is included";
  EXPECT_EQ(offered("muster run -H mo"), Set{"more1"});
}

// bash expands the words that it is to choose from.
TEST_F(Completion, OfBashRunsNothingThatSshCallsAHost) {
  script("bash");
  write_hosts();
  std::ofstream(folder_ + "/more") << "Host $(touch${IFS}ran) `id` more1\n";
  EXPECT_EQ(offered("muster run -H mo"), Set{"more1"});
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/ran"));
}

// Words as bash makes them of user@host.
TEST_F(Completion, OfBashKnowsHostsOfAUser) {
  script("bash");
  write_hosts();
  EXPECT_EQ(offered("muster run -H me @ b"), Set{"bigone"});
  EXPECT_EQ(offered("muster run -H node1,me @ b"), Set{"bigone"});
  EXPECT_EQ(offered("muster run --host = me @ b"), Set{"bigone"});
  EXPECT_EQ(offered("muster run -H me @ node1,me @ b"), Set{"bigone"});
  EXPECT_TRUE(offered("muster run -H me @").contains("bigone"));
  EXPECT_EQ(offered("muster run -H me@b"), Set{"me@bigone"}) << "where it makes one word of it";
  EXPECT_EQ(offered("muster run -H me @ node1 -n 4 --dry"), Set{"--dry-run"});
}

TEST_F(Completion, OfBashKnowsRunsAndWhatTheirJobsAreCalled) {
  script("bash");
  write_program();
  EXPECT_EQ(offered("muster logs -f 2"), (Set{"20261121-1-kufari", "20261122-2-sozunu"}));
  EXPECT_EQ(offered("muster show my"), Set{"my\\ train"});
  EXPECT_EQ(offered("muster show \"my\\\\ t\""), Set{"my\\ train"});
  EXPECT_EQ(offered("muster show \\\"my"), Set{"my train"}) << "bash keeps the quote";
  EXPECT_EQ(offered("muster show li"), Set{"lines/my\\ train"});
  EXPECT_EQ(offered("muster show py"), Set{});
}

// Bash makes several words of one with ':' or '=', and replaces the last of them.
TEST_F(Completion, OfBashKnowsNamesThatItTakesApart) {
  script("bash");
  write_program_with_odd_names();
  EXPECT_EQ(offered("muster show a"), Set{"a:b"});
  EXPECT_EQ(offered("muster show a :"), Set{"b"});
  EXPECT_EQ(offered("muster show a : b"), Set{"b"});
  EXPECT_EQ(offered("muster logs -f ex/a :"), Set{"b"});
  EXPECT_EQ(offered("muster show lr ="), Set{"0.1\\ x"});
  EXPECT_EQ(offered("muster show lr = 0"), Set{"0.1\\ x"});
}

// In quotes, only what means the same there.
TEST_F(Completion, OfBashOffersNothingThatEndsQuotesOrIsRunInThem) {
  script("bash");
  write_program_with_odd_names();
  EXPECT_EQ(offered("muster show co"), Set{"cost\\ \\$\\(touch\\ ran\\)"});
  EXPECT_EQ(offered("muster show \\\"co"), Set{});
  EXPECT_EQ(offered("muster show \\\"say"), Set{});
  EXPECT_EQ(offered("muster show \\\"it"), Set{"it's"});
  EXPECT_EQ(offered("muster show \\'\\''it"), Set{});
  EXPECT_EQ(offered("muster show \\'\\''say"), Set{"say \"x\""});
}

TEST_F(Completion, OfBashKnowsWordsOfExportAndHelp) {
  script("bash");
  EXPECT_EQ(offered("muster export k"), Set{"kubernetes"});
  EXPECT_EQ(offered("muster export --as job k"), Set{"kubernetes"});
  std::ofstream(folder_ + "/job.yml") << "x";
  EXPECT_EQ(offered("muster export kubernetes jo"), Set{"job.yml"});
  EXPECT_EQ(offered("muster help expo"), Set{"export"});
}

TEST_F(Completion, OfFishKnowsTheSame) {
  if (std::system("command -v fish >/dev/null") != 0) GTEST_SKIP() << "there is no fish here";
  script("fish");
  write_hosts();
  write_program();
  EXPECT_EQ(offered_by_fish("muster comp"), Set{"completion"});
  EXPECT_EQ(offered_by_fish("muster run --ta"), Set{"--tag"});
  EXPECT_EQ(offered_by_fish("muster run --on-failure "), (Set{"abort", "continue"}));
  EXPECT_EQ(offered_by_fish("muster run -H node1,b"), Set{"node1,bigone"});
  EXPECT_EQ(offered_by_fish("muster run -H node1,me@b"), Set{"node1,me@bigone"});
  EXPECT_EQ(offered_by_fish("muster logs -f 20261121"), Set{"20261121-1-kufari"});
  EXPECT_EQ(offered_by_fish("muster show my"), Set{"my train"});
  EXPECT_EQ(offered_by_fish("muster export "),
            (Set{"crontab", "grid_engine", "kubernetes", "slurm"}));
  EXPECT_EQ(offered_by_fish("muster export kub"), Set{"kubernetes"});
}

TEST_F(Completion, OfBashLeavesTheProgramsWordsAlone) {
  script("bash");
  EXPECT_EQ(offered("muster run -n 2 python3 --ta"), Set{});
  EXPECT_EQ(offered("muster run --np = 2 python3 --ta"), Set{});
  EXPECT_EQ(offered("muster run --tag -- prog --ta"), Set{});
}

TEST_F(Completion, OfBashOffersEveryOption) {
  script("bash");
  for (const front::Front& front : front::fronts()) {
    const std::vector<std::string> names = option_names(front);
    const std::string name(front.names.substr(0, front.names.find(' ')));
    EXPECT_EQ(offered("muster " + name + " -"), Set(names.begin(), names.end()));
  }
}

TEST_F(Completion, OfZshHoldsEveryOption) {
  const std::string text = completion("zsh").value_or("");
  for (const front::Front& front : front::fronts()) {
    for (const std::string& name : option_names(front)) {
      const bool once = text.find(")" + name) != std::string::npos;
      const bool repeatable = text.find("'*" + name) != std::string::npos;
      EXPECT_TRUE(once || repeatable) << name;
    }
  }
}

TEST_F(Completion, OfZshIsReadByZsh) {
  if (std::system("command -v zsh >/dev/null") != 0) GTEST_SKIP() << "there is no zsh here";
  EXPECT_EQ(std::system(("zsh -n " + script("zsh")).c_str()), 0);
}

TEST_F(Completion, KnowsNoOtherShell) {
  const auto other = completion("tcsh");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "no completion for the shell 'tcsh'");
  EXPECT_EQ(other.error().fault, base::Fault::usage);
}

}  // namespace
}  // namespace muster::cli
