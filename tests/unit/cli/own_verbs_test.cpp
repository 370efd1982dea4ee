// completion, help and version understand what all commands do.
#include "cli/own_verbs.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "front/voice.hpp"
#include "unit/cli/command_line.hpp"

namespace muster::cli::own_verbs_test {
namespace {

const std::vector<std::string> kNames = {"completion", "help", "version"};

class OwnVerbs : public testing::Test {
 protected:
  // --color sets it for what is called below.
  void TearDown() override { ::unsetenv(front::kColor); }
};

TEST_F(OwnVerbs, ShowTheirHelp) {
  const CommandLine muster;
  for (const std::string& name : kNames) {
    const Answer shown = muster({name, "--help"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_TRUE(shown.out.starts_with("muster " + name + ": ")) << shown.out;
    EXPECT_NE(shown.out.find("\nUsage: muster " + name + " [OPTIONS]"), std::string::npos);
    EXPECT_NE(shown.out.find("\n  --color, --colour WHEN"), std::string::npos) << shown.out;
    EXPECT_EQ(muster({"help", name}).out, shown.out);
    EXPECT_EQ(muster({name, "--color", "never", "-h"}).out, shown.out);
  }
}

TEST_F(OwnVerbs, ShowTheVersion) {
  const CommandLine muster;
  const std::string version = muster({"version"}).out;
  EXPECT_TRUE(version.starts_with("muster ")) << version;
  for (const std::string& name : kNames) EXPECT_EQ(muster({name, "--version"}).out, version);
}

TEST_F(OwnVerbs, DoTheirWorkWithOptions) {
  const CommandLine muster;
  const std::string script = muster({"completion", "bash"}).out;
  EXPECT_FALSE(script.empty());
  EXPECT_EQ(muster({"completion", "--color", "never", "bash"}).out, script);
  EXPECT_EQ(muster({"completion", "bash", "--color=never"}).out, script);
  const std::string help = muster({"help"}).out;
  EXPECT_EQ(muster({"help", "--color=never"}).out, help);
  EXPECT_EQ(muster({"help", "--color", "never", "run"}).out, muster({"run", "--help"}).out);
}

TEST_F(OwnVerbs, AreNamedByOptionsWithoutAny) {
  const CommandLine muster;
  const std::string version = muster({"version"}).out;
  const std::string help = muster({"help"}).out;
  const std::string of_run = muster({"run", "--help"}).out;
  const std::vector<std::vector<std::string>> manners = {
      {}, {"--color=never"}, {"--color", "never"}, {"--quiet", "--colour=auto"}};
  for (const std::vector<std::string>& manner : manners) {
    const auto said = [&](const std::string& option, std::vector<std::string> rest) {
      std::vector<std::string> before = manner;
      before.push_back(option);
      before.insert(before.end(), rest.begin(), rest.end());
      std::vector<std::string> behind = {option};
      behind.insert(behind.end(), manner.begin(), manner.end());
      behind.insert(behind.end(), rest.begin(), rest.end());
      const Answer answer = muster(before);
      EXPECT_EQ(answer.code, 0) << answer.err;
      EXPECT_EQ(answer.out, muster(behind).out);
      return answer.out;
    };
    EXPECT_EQ(said("--version", {}), version);
    EXPECT_EQ(said("-V", {}), version);
    for (const char* option : {"--help", "-h"}) {
      EXPECT_EQ(said(option, {}), help);
      EXPECT_EQ(said(option, {"run"}), of_run);
      EXPECT_EQ(said(option, {"--help"}), help);
      EXPECT_EQ(said(option, {"--version"}), version) << "as of any command";
    }
  }
  const Answer wrong = muster({"--help", "--color=nevre"});
  EXPECT_EQ(wrong.code, base::exit_code(base::Fault::usage));
  EXPECT_NE(wrong.err.find("--color must be"), std::string::npos) << wrong.err;
}

TEST_F(OwnVerbs, RefuseOtherOptions) {
  const CommandLine muster;
  for (const std::string& name : kNames) {
    const Answer refused = muster({name, "--nonsense"});
    EXPECT_EQ(refused.code, base::exit_code(base::Fault::usage)) << name;
    EXPECT_NE(refused.err.find("--nonsense"), std::string::npos) << refused.err;
    EXPECT_EQ(refused.out, "");
  }
  EXPECT_EQ(muster({"version", "x"}).code, base::exit_code(base::Fault::usage));
}

// Its source without roff's escapes for '-'.
std::string page_of(const std::string& name) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/manual/" + name + ".1");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  std::erase(text, '\\');
  return text;
}

TEST_F(OwnVerbs, HaveManualPagesWithTheirOptions) {
  const std::string overview = page_of("muster");
  for (const front::Front& verb : own_verbs()) {
    const std::string name(verb.names);
    const std::string page = page_of("muster-" + name);
    for (const front::OptionText* option : verb.options()) {
      EXPECT_NE(page.find(std::string(option->help)), std::string::npos) << name << option->help;
    }
    const std::string entry = ".BR muster-" + name + " (1)\n" + std::string(verb.help) + "\n";
    EXPECT_NE(overview.find(entry), std::string::npos) << entry;
  }
}

}  // namespace
}  // namespace muster::cli::own_verbs_test
