// Help and manual agree with the table of options.
#include "cli/help.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/options.hpp"

namespace muster::cli {
namespace {

// The manual's source without roff's escapes for '-' and '\'.
std::string manual() {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/manual/muster-run.1");
  std::stringstream text;
  text << file.rdbuf();
  std::string plain;
  for (const char c : text.str()) {
    if (c != '\\') plain += c;
  }
  return plain;
}

// The lines that introduce an option in the manual's source.
std::string manual_entry(const Option& option) {
  std::string entry = ".TP\n.B \"" + joined_names(option);
  if (!option.argument.empty()) entry += " " + std::string(option.argument);
  return entry + "\"\n";
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Runs of blanks and line ends count as one blank.
std::string flowing(const std::string& text) {
  std::istringstream words(text);
  std::string flow;
  for (std::string word; words >> word;) flow += (flow.empty() ? "" : " ") + word;
  return flow;
}

TEST(Help, HoldsEveryOptionWithItsSentence) {
  const std::string help = flowing(run_help());
  for (const Option& option : run_options()) {
    EXPECT_TRUE(holds(help, joined_names(option))) << joined_names(option);
    EXPECT_TRUE(holds(help, option.help)) << joined_names(option);
  }
}

TEST(Help, FitsTheScreen) {
  for (const std::string& help : {run_help(), main_help()}) {
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 100U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(Help, ListsEveryCommandAndExitCode) {
  for (const Command& command : commands()) EXPECT_TRUE(holds(main_help(), command.name));
  for (int code = 240; code <= 247; ++code) EXPECT_TRUE(holds(run_help(), std::to_string(code)));
}

TEST(Help, ExamplesAreReadAsRequests) {
  std::istringstream lines(run_help());
  int examples = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    muster run ") || holds(line, "--hostfile")) continue;
    std::istringstream words(line.substr(15));
    const std::vector<std::string> typed{std::istream_iterator<std::string>(words), {}};
    EXPECT_TRUE(read_run_words(typed, "/here")) << line;
    ++examples;
  }
  EXPECT_EQ(examples, 4);
}

TEST(Manual, HasAnEntryForEveryOptionWithItsSentence) {
  const std::string source = manual();
  const std::string flow = flowing(source);
  for (const Option& option : run_options()) {
    EXPECT_TRUE(holds(source, manual_entry(option))) << manual_entry(option);
    EXPECT_TRUE(holds(flow, option.help)) << option.help;
  }
}

TEST(Manual, HasNoOptionThatDoesNotExist) {
  const std::string source = manual();
  std::size_t entries = 0;
  for (std::size_t at = 0; (at = source.find(".B \"-", at)) != std::string::npos; ++at) ++entries;
  EXPECT_EQ(entries, run_options().size());
}

TEST(Manual, HasEveryExitCode) {
  const std::string source = manual();
  for (int code = 240; code <= 247; ++code) {
    EXPECT_TRUE(holds(source, ".TP\n.B " + std::to_string(code) + "\n")) << code;
  }
}

TEST(Options, HaveNamesOfTheirOwn) {
  std::set<std::string> seen;
  for (const std::string& name : option_names()) {
    EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
    EXPECT_TRUE(name.starts_with('-') && name.size() >= 2) << name;
  }
}

TEST(Options, TakeAnArgumentExactlyWhenTheirHelpShowsOne) {
  for (const Option& option : run_options()) {
    EXPECT_EQ(option.argument.empty(), option.takes == Takes::nothing) << option.names[0];
    EXPECT_EQ(option.choices.empty(), option.takes != Takes::choice) << option.names[0];
  }
}

}  // namespace
}  // namespace muster::cli
