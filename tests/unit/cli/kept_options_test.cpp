// Whatever working option of a front end stands in a line: a hint that offers the line as it should
// have been typed keeps the option and its value, and the line offered can be read.
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>

#include "base/words.hpp"
#include "cli/ways.hpp"
#include "front/front.hpp"
#include "option/values.hpp"
#include "unit/cli/command_line.hpp"
#include "unit/folder.hpp"

namespace muster::cli::kept_options_test {
namespace {

using front::Front;
using front::OptionText;
using front::Takes;
using Words = std::vector<std::string>;

base::Result<std::string> read_file(const std::string& path, std::size_t) {
  if (path == "/here/muster.yml") return "targets: {lab: {kubernetes: {image: any}}}";
  return base::fail(base::Fault::bad_file, "", "no file {}", path);
}

base::Result<front::Reading> read(const std::string& name, Words words) {
  const auto one = [] { return 1U; };
  return front::front_of(name)->read(
      {.called = name,
       .words = std::move(words),
       .environment = {"HOME=/home/u"},
       .current_folder = "/here",
       .read_file = read_file,
       .counts = {one, one, one, [] { return std::string(); }},
       .has_file = [](const std::string& path) { return path == "/here/muster.yml"; }});
}

// What is wrong with a file, or with this machine, is not wrong with the words.
std::string why_not(const std::string& name, const Words& words) {
  const auto reading = read(name, words);
  return reading || reading.error().fault != base::Fault::usage ? "" : to_string(reading.error());
}

Words joined(std::initializer_list<Words> parts) {
  Words all;
  for (const Words& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// A list of hosts with node1, as the front end takes it.
Words hosts_of(const std::string& name) {
  if (name == "mpiexec.hydra") return {"-hosts", "node1"};
  return {"-H", name == "horovodrun" ? "node1:2" : "node1"};
}

// An option with a value that its front end takes, and the words with which it takes it.
struct Typed {
  std::string name;  // of the front end
  Words option;
  Words front;  // before the option, as "-H node1"
  Words rest;   // behind it
};

std::vector<Words> values_of(const OptionText& option) {
  using front::Arity;
  if (option.takes == Takes::nothing || option.traits.arity == Arity::optional) return {{}};
  std::vector<Words> values;
  for (const std::string& choice : base::split(option.traits.choices, " ")) {
    values.push_back({choice});
  }
  for (const char* value : {"1",      "2",   "a b",           "A=a b",      "node1", "file",
                            "1h",     "0s",  "10.0.0.1:7000", "inputs.a=1", "a=b",   "0",
                            "0,1",    "0,0", "timeout=9",     "1:1",        "1K",    "none",
                            "core",   "ib0", "/dev/null",     "TERM@5",     "map",   "tag",
                            "1:node", "lab", "chief=1",       "chief=1"}) {
    values.push_back({value});
  }
  if (option.traits.arity == Arity::two || option.traits.arity == Arity::pair) {
    for (Words& value : values) value.insert(value.begin(), "key");
  }
  return values;
}

// Which words go with an option depends on the front end, and on the option.
std::optional<Typed> typed(const Front& front, const OptionText& option) {
  const std::string name(front.names.substr(0, front.names.find(' ')));
  const std::vector<Words> rests = {{"last"},
                                    {"job.yml"},
                                    {"-np", "2", "./a b"},
                                    {"-n", "2", "x"},
                                    {"x"},
                                    {"kubernetes", "job.yml"},
                                    {"--", "x"},
                                    {"10.0.0.1:7000", "--secret-file", "s"},
                                    {"10.0.0.1:7000"},
                                    {}};
  const std::vector<Words> before = {
      {},
      hosts_of(name),
      {"--older-than", "1h"},
      {"--slurm"},
      {"--image", "i"},
      {"--logs", "l"},
      {"--timeout", "9"},
      {"--dry-run"},
      {"--detach"},
      {"--nodes", "2"},
      {"--nodes", "2", "--secret-file", "s"},
      {"--nodes", "2", "--listen", "10.0.0.1:7000"},
      {"--nodes", "2", "--listen", "10.0.0.1:7000", "--secret-file", "s"},
      {"--listen", "10.0.0.1:7000", "--secret-file", "s"}};
  for (const Words& value : values_of(option)) {
    const Words words = joined({{std::string(names_of(option).front())}, value});
    for (const Words& first : before) {
      for (const Words& rest : rests) {
        if (why_not(name, joined({first, words, rest})).empty()) {
          return Typed{name, words, first, rest};
        }
      }
    }
  }
  return std::nullopt;
}

const std::vector<Typed>& all_typed() {
  static const std::vector<Typed> all = [] {
    std::vector<Typed> found;
    for (const Front& front : front::fronts()) {
      for (const OptionText* option : front.options()) {
        if (!option->traits.support.works() || option->traits.ends) continue;
        auto one = typed(front, *option);
        EXPECT_TRUE(one) << front.names << ": no value known for " << option->names;
        if (one) found.push_back(std::move(*one));
      }
    }
    return found;
  }();
  return all;
}

// The command in a hint: what stands between `before` and `after`, or the end of the line.
Words offered(const std::string& said, const std::string& before, const std::string& after = "\n") {
  const std::size_t at = said.find(before);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + before.size();
  const std::string line = said.substr(begin, said.find(after, begin) - begin);
  const auto words = option::read_words({"", line});
  return words ? *words : Words();
}

bool has(const Words& words, const Words& part) {
  return !std::ranges::search(words, part).empty();
}

void expect_kept(const Typed& one, const Words& offer, const std::string& said) {
  const std::string told = one.name + " " + one.option.front() + ": " + said;
  ASSERT_GE(offer.size(), 2U) << told;
  EXPECT_EQ(offer[0], "muster") << told;
  EXPECT_TRUE(has(offer, one.option)) << told;
  ASSERT_NE(front::front_of(offer[1]), nullptr) << told;
  EXPECT_EQ(why_not(offer[1], {offer.begin() + 2, offer.end()}), "") << told;
}

TEST(KeptOptions, WhereTheCommandIsMistyped) {
  for (const Typed& one : all_typed()) {
    const Words own = joined({one.front, one.option, one.rest});
    const std::string said = CommandLine()(joined({{one.name + "q"}, own})).err;
    const Words offer = offered(said, "did you mean: ");
    EXPECT_EQ(offer, joined({{"muster", one.name}, own})) << said;
    expect_kept(one, offer, said);
  }
}

TEST(KeptOptions, WhereTheyStandInFrontOfTheCommand) {
  for (const Typed& one : all_typed()) {
    const Words options = joined({one.front, one.option});
    const std::string said = CommandLine()(joined({options, {one.name}, one.rest})).err;
    const Words offer = offered(said, "options follow the command: ");
    EXPECT_EQ(offer, joined({{"muster", one.name}, options, one.rest})) << said;
    expect_kept(one, offer, said);
  }
}

TEST(KeptOptions, WhereALineIsExplainedWithoutDashes) {
  std::size_t earned = 0;
  for (const Typed& one : all_typed()) {
    if (front::front_of(one.name)->takes_file || one.name == "lead") continue;
    const Words line = joined({{one.name}, one.front, one.option, one.rest});
    const auto reading = read("explain", line);
    if (reading) continue;
    const Words offer = offered(reading.error().hint + "\n", "after two dashes: ");
    if (offer.empty()) continue;
    ++earned;
    EXPECT_EQ(offer, joined({{"muster", "explain", "--"}, line})) << reading.error().hint;
    expect_kept(one, offer, reading.error().hint);
  }
  EXPECT_GT(earned, 100U);
}

TEST(KeptOptions, WhereAColonMayBeginASecondProgram) {
  const std::string if_not = "; if the ':' is for the program: ";
  std::size_t earned = 0;
  for (const Typed& one : all_typed()) {
    if (one.name != "run") continue;
    const auto reading = read("run", joined({one.front, one.option, {"a", ":", "-n", "2", "b"}}));
    if (reading || reading.error().hint.find(if_not) == std::string::npos) continue;
    ++earned;
    const std::string& hint = reading.error().hint;
    expect_kept(one, offered(hint + "\n", if_not), hint);
    if (hint.starts_with("did you mean ")) {
      expect_kept(one, offered(hint, "did you mean ", if_not), hint);
    }
  }
  EXPECT_GT(earned, 50U);
}

// What other tools call a command.
TEST(KeptOptions, WhereTheCommandIsThatOfAnotherTool) {
  const std::map<std::string, std::string> names = {
      {"stop", "kill"}, {"ps", "list"},       {"logs", "tail"}, {"validate", "lint"},
      {"rm", "delete"}, {"show", "describe"}, {"gc", "clean"},  {"explain", "plan"}};
  std::size_t earned = 0;
  for (const Typed& one : all_typed()) {
    const auto other = names.find(one.name);
    if (other == names.end()) continue;
    const std::string said =
        CommandLine()(joined({{other->second}, one.front, one.option, one.rest})).err;
    expect_kept(one, offered(said, "did you mean: "), said);
    ++earned;
  }
  EXPECT_GT(earned, 50U);
}

TEST(KeptOptions, WhereAProgramIsStartedWithoutACommand) {
  for (const Typed& one : all_typed()) {
    if (one.name != "run") continue;
    const Words own = joined({one.front, one.option, one.rest});
    const std::string said = CommandLine()(own).err;
    const Words offer = offered(said, "to start a program: ");
    EXPECT_EQ(offer, joined({{"muster", "run"}, own})) << said;
    expect_kept(one, offer, said);
  }
}

// "muster gc -H node1 ...", which removes what a run keeps on its hosts.
TEST(KeptOptions, WhereHostsOfARunAreToBeReachedAgain) {
  const std::vector<std::string> of_reach = {"--ssh-command", "--ssh-port", "--ssh-identity",
                                             "--agent-path"};
  const unit::Folder folder;
  std::size_t number = 0;
  for (const Typed& one : all_typed()) {
    if (std::ranges::count(of_reach, one.option[0]) == 0) continue;
    const Words line = joined({hosts_of(one.name), one.front, one.option, one.rest});
    const auto reading = read(one.name, line);
    if (!reading || !reading->request) continue;
    model::RunRecord record;
    record.run = "20261130-020204.414-dabofi";
    const std::string above = std::to_string(++number) + "/";
    record.folder = folder.path() + "/" + above + record.run;
    std::filesystem::create_directories(record.folder);
    const nlohmann::json asked = {{"words", joined({{one.name}, line})},
                                  {"folder", "/here"},
                                  {"files", nlohmann::json::array()}};
    (void)folder.file(above + record.run + "/spec.json", nlohmann::json{{"asked", asked}}.dump(),
                      false);
    Ways ways;
    add_ways({"node1"}, record, ways);
    ASSERT_EQ(ways.size(), 1U);
    const Words& words = ways.begin()->first;
    const std::string told = one.name + " " + one.option[0];
    EXPECT_TRUE(has(words, {one.option[0]})) << told;
    EXPECT_EQ(why_not("gc", joined({{"-H", "node1"}, words})), "") << told;
  }
  EXPECT_GT(number, 10U);
}

}  // namespace
}  // namespace muster::cli::kept_options_test
