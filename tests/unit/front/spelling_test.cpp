// What people write alike for every front end: names that are nearly right, hosts with numbers in
// brackets, options that are given twice.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

#include "front/called_request.hpp"
#include "front/front.hpp"

namespace muster::front::spelling_test {
namespace {

using Words = std::vector<std::string>;

std::string name_of(const Front& front) {
  return std::string(front.names.substr(0, front.names.find(' ')));
}

bool is_hostfile(const std::string& path) { return path == "hosts" || path == "/here/hosts"; }

base::Result<std::string> read_text(const std::string& path, std::size_t) {
  if (path == "job.yml") {
    return "command: x\nresources: {instance_count: 4}\n"
           "distribution: {type: mpi, process_count_per_instance: 2}\n";
  }
  if (is_hostfile(path)) return "node[1-3] slots=2\nnode7 slots=2\n";
  return base::fail(base::Fault::bad_file, "", "no file {}", path);
}

base::Result<Reading> read(const Front& front, const Words& words) {
  return front.read({.called = name_of(front),
                     .words = words,
                     .environment = {"HOME=/home/u"},
                     .current_folder = "/here",
                     .read_file = read_text,
                     .has_file = is_hostfile});
}

// What follows the options; some launchers need another one in front of it.
Words with_program(const Front& front, Words words) {
  if (name_of(front) == "horovodrun") words.insert(words.end(), {"-np", "2"});
  if (name_of(front) == "launch") words.emplace_back("--use-env");
  words.emplace_back(front.takes_file ? "job.yml" : "prog");
  return words;
}

// Hydra takes its -membind with two dashes too.
bool is_option(const Front& front, const std::string& typed) {
  const auto has_it = [&](const OptionText* option) {
    return std::ranges::any_of(names_of(*option), [&](std::string_view name) {
      return name.substr(name.find_first_not_of('-')) == typed.substr(typed.find_first_not_of('-'));
    });
  };
  return std::ranges::any_of(front.options(), has_it);
}

class EachFrontsWords : public testing::TestWithParam<const Front*> {};

TEST_P(EachFrontsWords, KnowsOptionsWithALetterLess) {
  std::size_t tried = 0;
  for (const OptionText* option : GetParam()->options()) {
    for (const std::string_view name : names_of(*option)) {
      if (name.size() < 9) continue;
      std::string typed(name);
      typed.erase(typed.size() / 2, 1);  // no abbreviation
      if (is_option(*GetParam(), typed)) continue;
      const auto reading = read(*GetParam(), {typed, "--", "x"});
      ASSERT_FALSE(reading) << typed;
      const base::Error& error = reading.error();
      EXPECT_EQ(error.what, "unknown option '" + typed + "'");
      const bool is_near = error.hint.starts_with("did you mean -") ||
                           error.hint.starts_with(typed + " is an option of ");  // --pernode
      EXPECT_TRUE(is_near) << typed << ": " << error.hint;
      ++tried;
    }
  }
  EXPECT_GT(tried, 0U);
}

// Slurm's, pdsh's and Flux's way to write node1:2, node2:2, node3:2 and node7:2.
constexpr const char* kList = "node[1-3,7]:2";

std::vector<model::HostEntry> hosts_of(const Reading& reading) {
  if (reading.request) return reading.request->spec.hosts;
  if (reading.records) return reading.records->reach.hosts;
  return reading.called ? reading.called->spec.hosts : std::vector<model::HostEntry>();
}

TEST_P(EachFrontsWords, KnowsHostsByTheirNumbers) {
  const Front& front = *GetParam();
  for (const OptionText* option : front.options()) {
    if (option->takes != Takes::hosts) continue;
    for (const std::string_view name : names_of(*option)) {
      Words words = with_program(front, {std::string(name), kList});
      if (name_of(front) == "gc") words.pop_back();
      const auto reading = read(front, words);
      ASSERT_TRUE(reading) << name << ": " << to_string(reading.error());
      std::string found;
      for (const model::HostEntry& host : hosts_of(*reading)) {
        found += host.name + ":" + std::to_string(host.slots.value_or(0)) + " ";
      }
      EXPECT_EQ(found, "node1:2 node2:2 node3:2 node7:2 ") << name_of(front) << " " << name;
    }
  }
}

TEST_P(EachFrontsWords, KnowsThemInFilesToo) {
  const Front& front = *GetParam();
  for (const OptionText* option : front.options()) {
    for (const std::string_view name : names_of(*option)) {
      if (name != "--hostfile") continue;
      const auto reading = read(front, with_program(front, {std::string(name), "hosts"}));
      ASSERT_TRUE(reading) << to_string(reading.error());
      EXPECT_EQ(hosts_of(*reading).size(), 4U);
    }
  }
}

// What the launcher itself does, for whose lines muster stands in.
enum class Twice { refused, contradiction, last_wins };

const std::map<std::string, Twice> kTwice = {
    {"mpirun", Twice::last_wins},       // orte/util/cmd_line.c
    {"mpiexec.hydra", Twice::refused},  // src/pm/hydra/lib/utils/args.c
    {"horovodrun", Twice::last_wins},   // argparse
    {"torchrun", Twice::last_wins},     // argparse
    {"launch", Twice::last_wins},       // argparse
    {"deepspeed", Twice::last_wins}};   // argparse

// A page of the manual without roff's macros, each run of blanks and line ends as one blank.
std::string flowing_page(const std::string& page) {
  std::ifstream file(MUSTER_SOURCE_DIR "/docs/manual/" + page);
  std::string flow;
  for (std::string word; file >> word;) flow += word + " ";
  return flow;
}

TEST_P(EachFrontsWords, SaysInItsManualWhatAnOptionGivenTwiceMeans) {
  const Front& front = *GetParam();
  const auto known = kTwice.find(name_of(front));
  const bool is_own = known == kTwice.end();
  const std::string page = flowing_page(is_own ? "muster.1" : "muster-" + name_of(front) + ".1");
  const std::string sentence =
      is_own ? "In muster's own commands an option given twice with different values is an error"
      : known->second == Twice::refused ? "An option may stand only once"
                                        : "f an option given twice the last one counts";
  EXPECT_NE(page.find(sentence), std::string::npos) << name_of(front);
}

TEST_P(EachFrontsWords, TakesAnOptionTwiceAsItsLauncherDoes) {
  const Front& front = *GetParam();
  const auto known = kTwice.find(name_of(front));
  const Twice rule = known == kTwice.end() ? Twice::contradiction : known->second;
  for (const OptionText* option : front.options()) {
    const bool is_simple = option->takes == Takes::number && option->traits.arity == Arity::one &&
                           !option->traits.repeatable && option->traits.support.works();
    if (!is_simple) continue;
    const std::string name(names_of(*option).front());
    const auto told = [&](const char* first, const char* second) {
      const auto reading = read(front, {name, first, name, second, "--", "x"});
      const bool is_about_it = !reading &&
                               (reading.error().what.ends_with("cannot be combined") ||
                                reading.error().what.ends_with("given twice")) &&
                               reading.error().what.starts_with(name);
      return is_about_it;
    };
    EXPECT_EQ(told("1", "2"), rule != Twice::last_wins) << name_of(front) << " " << name;
    EXPECT_EQ(told("1", "1"), rule == Twice::refused) << name_of(front) << " " << name;
  }
}

// "-x NAME[=VALUE]" and the like: whether a name may have two values, the help says.
TEST_P(EachFrontsWords, SaysInItsHelpWhereANameHasOneValue) {
  const Front& front = *GetParam();
  if (kTwice.contains(name_of(front))) return;
  for (const OptionText* option : front.options()) {
    const bool has_names = option->argument.find("=VALUE") != std::string_view::npos;
    if (!has_names || !option->traits.repeatable) continue;
    const std::string name(names_of(*option).front());
    const auto reading = read(front, {name, "tags.a=1", name, "tags.a=2", "--", "x"});
    const bool is_refused = !reading && reading.error().what.ends_with("cannot be combined");
    const bool is_told = option->help.find("one value for each") != std::string_view::npos;
    EXPECT_EQ(is_refused, is_told) << name_of(front) << " " << name;
  }
}

std::vector<const Front*> all_fronts() {
  std::vector<const Front*> all;
  for (const Front& front : fronts()) all.push_back(&front);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Spelling, EachFrontsWords, testing::ValuesIn(all_fronts()),
                         [](const testing::TestParamInfo<const Front*>& one) {
                           std::string name = name_of(*one.param);
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace muster::front::spelling_test
