// For every front end: help, manual page and the table of options agree.
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>

#include "front/front.hpp"
#include "front/run/front.hpp"

namespace muster::front {
namespace {

std::string main_name(const Front& front) {
  return std::string(front.names.substr(0, front.names.find(' ')));
}

// The manual's source without roff's escapes for '-' and '\\'.
std::string manual(const Front& front) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/manual/muster-" + main_name(front) + ".1");
  std::stringstream text;
  text << file.rdbuf();
  std::string plain;
  for (const char c : text.str()) {
    if (c != '\\') plain += c;
  }
  return plain;
}

std::string help(const Front& front, std::size_t columns = 80) {
  const auto reading =
      front.read({.called = main_name(front), .words = {"--help", "all"}, .columns = columns});
  return reading ? reading->text : to_string(reading.error());
}

// The lines that introduce an option in the manual's source.
std::string manual_entry(const OptionText& option) {
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

class EachFront : public testing::TestWithParam<const Front*> {};

TEST_P(EachFront, HelpHoldsEveryOptionWithItsSentence) {
  const std::string flow = flowing(help(*GetParam()));
  for (const OptionText* option : GetParam()->options()) {
    EXPECT_TRUE(holds(flow, joined_names(*option))) << option->names;
    EXPECT_TRUE(holds(flow, option->help)) << option->names;
  }
}

TEST_P(EachFront, HelpFitsTheScreen) {
  for (const std::size_t columns : {60, 80, 100}) {
    std::istringstream lines(help(*GetParam(), columns));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), columns) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST_P(EachFront, ManualHasAnEntryForEveryOptionWithItsSentence) {
  const std::string source = manual(*GetParam());
  const std::string flow = flowing(source);
  for (const OptionText* option : GetParam()->options()) {
    EXPECT_TRUE(holds(source, manual_entry(*option))) << manual_entry(*option);
    EXPECT_TRUE(holds(flow, option->help)) << option->help;
  }
}

TEST_P(EachFront, ManualHasNoOptionThatDoesNotExist) {
  const std::string source = manual(*GetParam());
  std::size_t entries = 0;
  for (std::size_t at = 0; (at = source.find(".B \"-", at)) != std::string::npos; ++at) ++entries;
  EXPECT_EQ(entries, GetParam()->options().size());
}

TEST_P(EachFront, OptionsHaveNamesOfTheirOwn) {
  std::set<std::string_view> seen;
  for (const OptionText* option : GetParam()->options()) {
    EXPECT_FALSE(names_of(*option).empty());
    for (const std::string_view name : names_of(*option)) {
      EXPECT_TRUE(seen.insert(name).second) << name << " is there twice";
      EXPECT_TRUE(name.starts_with('-') && name.size() >= 2) << name;
    }
  }
}

TEST_P(EachFront, OptionsTakeAnArgumentExactlyWhenTheirHelpShowsOne) {
  for (const OptionText* option : GetParam()->options()) {
    EXPECT_EQ(option->argument.empty(), option->takes == Takes::nothing) << option->names;
    EXPECT_EQ(option->traits.choices.empty(), option->takes != Takes::choice) << option->names;
  }
}

std::vector<const Front*> all_fronts() {
  std::vector<const Front*> all;
  for (const Front& front : fronts()) all.push_back(&front);
  return all;
}

// Names of tests may hold letters, digits and '_' only.
std::string test_name(const testing::TestParamInfo<const Front*>& one) {
  std::string name = main_name(*one.param);
  for (char& c : name) {
    if (c == '.' || c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Fronts, EachFront, testing::ValuesIn(all_fronts()), test_name);

TEST(Manual, ListsEveryFront) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/manual/muster.1");
  std::string plain;
  for (std::string line; std::getline(file, line); plain += '\n') {
    for (const char c : line) {
      if (c != '\\') plain += c;
    }
  }
  for (const Front& front : fronts()) {
    const std::string entry =
        ".TP\n.BR muster-" + main_name(front) + " (1)\n" + std::string(front.help) + "\n";
    EXPECT_TRUE(holds(plain, entry)) << entry;
  }
}

TEST(RunHelp, ExamplesAreReadAsRequests) {
  std::istringstream lines(run_help(100));
  int examples = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    muster run ") || holds(line, "--hostfile")) continue;
    std::istringstream words(line.substr(15));
    const std::vector<std::string> typed{std::istream_iterator<std::string>(words), {}};
    EXPECT_TRUE(read_run({.called = "run", .words = typed, .current_folder = "/here"})) << line;
    ++examples;
  }
  EXPECT_EQ(examples, 6);
}

TEST(RunHelp, IsOneScreenOfOptionsThatExist) {
  const auto reading = read_run({.called = "run", .words = {"--help"}});
  ASSERT_TRUE(reading);
  std::istringstream lines(reading->text);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    if (!line.starts_with("  -")) continue;
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    bool is_there = false;
    for (const OptionText* option : front_of("run")->options()) {
      for (const std::string_view known : names_of(*option)) is_there |= known == name;
    }
    EXPECT_TRUE(is_there) << line;
  }
  EXPECT_LE(count, 24);
  EXPECT_LT(reading->text.size(), run_help(80).size());
}

TEST(RunHelp, AndManualHaveEveryExitCode) {
  const std::string source = manual(*front_of("run"));
  for (int code = 240; code <= 248; ++code) {
    EXPECT_TRUE(holds(run_help(80), std::to_string(code)));
    EXPECT_TRUE(holds(source, ".TP\n.B " + std::to_string(code) + "\n")) << code;
  }
}

}  // namespace
}  // namespace muster::front
