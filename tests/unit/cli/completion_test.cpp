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
    const std::string command =
        "cd " + folder_ + " && bash --norc -c '. ./bash; compopt() { :; }; COMP_WORDS=(" + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _muster; printf \"%s\\n\" \"${COMPREPLY[@]}\"'";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
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
  EXPECT_EQ(offered("muster completion \"\""), (Set{"bash", "zsh"}));
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
  const auto fish = completion("fish");
  ASSERT_FALSE(fish);
  EXPECT_EQ(fish.error().what, "no completion for the shell 'fish'");
  EXPECT_EQ(fish.error().fault, base::Fault::usage);
}

}  // namespace
}  // namespace muster::cli
