// The engine of all command lines, tried on a made-up table under each launcher's grammar.
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "option/read.hpp"

namespace muster::option {
namespace {

TEST(NearChoice, NamesTheNearestChoice) {
  const OptionText option{"--bind-to", "",      Takes::choice,
                          "WHAT",      "Bind.", {.choices = "none core numa"}};
  EXPECT_EQ(near_choice(option, "cor"), "did you mean core?");
  EXPECT_EQ(near_choice(option, "core:overload,nmua"), "did you mean numa?");
  EXPECT_EQ(near_choice(option, "zebra"), "");
  EXPECT_EQ(near_choice(option, ""), "");
  EXPECT_EQ(near_choice({"-n", "", Takes::number, "N", "Ranks."}, "x"), "");
}

struct Draft {
  std::string said;  // "name=value " for each option carried out
};

base::Result<void> say(Draft& draft, const Typed& typed) {
  draft.said += std::string(typed.option) + "=" + std::string(typed.value);
  if (!typed.second.empty()) draft.said += "," + std::string(typed.second);
  draft.said += " ";
  return {};
}

constexpr std::array<Option<Draft>, 10> kTable = {{
    {{"-n -np --np", "Ranks", Takes::number, "N", "How many."}, say},
    {{"--bind-to", "Ranks", Takes::text, "WHAT", "Where to."}, say},
    {{"--nproc-per-node", "Ranks", Takes::text, "N", "How many here.", {.scope = Scope::program}},
     say},
    {{"--nnodes", "Ranks", Takes::number, "N", "How many hosts."}, say},
    {{"-mca --mca",
      "More",
      Takes::text,
      "KEY VALUE",
      "Two.",
      {.repeatable = true, .arity = Arity::two}},
     say},
    {{"-env",
      "More",
      Takes::text,
      "KEY VALUE",
      "A pair.",
      {.repeatable = true, .arity = Arity::pair}},
     say},
    {{"--tee", "More", Takes::text, "[HOW]", "Perhaps.", {.arity = Arity::optional}}, say},
    {{"--xml", "More", Takes::nothing, "", "Old.", {.support = table::no_effect("old")}}, say},
    {{"--xterm", "More", Takes::text, "R", "No.", {.support = table::refused("no terminal")}}, say},
    {{"--help", "More", Takes::nothing, "", "This.", {.ends = true}}, say},
}};

using Words = std::vector<std::string>;

// What was carried out, then "| " and the program; or the complaint; then the notices.
std::string read(const Grammar& grammar, const Words& words, bool later_block = false) {
  Draft draft;
  const auto read =
      read_options(std::span<const Option<Draft>>(kTable), grammar, words, draft, later_block);
  if (!read) {
    std::string all = read.error().what + " (" + read.error().hint + ")";
    for (const base::Error& one : read.error().also) all += "; " + one.what + " (" + one.hint + ")";
    return all;
  }
  std::string all = draft.said + "|";
  for (std::size_t i = read->program; i < words.size(); ++i) all += " " + words[i];
  for (const std::string& notice : read->notices) all += " / " + notice;
  return all;
}

constexpr Grammar kExact = {.command = "muster exact"};
constexpr Grammar kOpenMpi = {.command = "mpirun", .dashes = Dashes::one_or_two};
constexpr Grammar kHydra = {.command = "mpiexec", .dashes = Dashes::any, .ignore_case = true};
constexpr Grammar kTorch = {.command = "torchrun",
                            .equal_underscore = true,
                            .abbreviations = true,
                            .again = Again::last_wins};

TEST(OptionReader, EndsAtTheFirstWordThatIsNoOption) {
  EXPECT_EQ(read(kExact, {"-n", "2", "prog", "-n", "3"}), "-n=2 | prog -n 3");
  EXPECT_EQ(read(kExact, {"-n", "2", "--", "-n", "3"}), "-n=2 | -n 3");
  EXPECT_EQ(read(kExact, {"--help", "--nonsense"}), "--help= | --nonsense");
  EXPECT_EQ(read(kExact, {}), "|");
}

TEST(OptionReader, TellsAllThatIsWrong) {
  EXPECT_EQ(read(kExact, {"--ranks=2", "--nnode=3", "--xterm", "1", "--np", "--tee", "prog", "-q"}),
            "unknown option '--ranks' (muster exact --help lists all options); "
            "unknown option '--nnode' (did you mean --nnodes?); "
            "--xterm: no terminal (--xterm R: No.); "
            "--np needs a value: N (-n, -np, --np N: How many. Is a variable in its place empty?)");
  // "x" may be the program: what follows is not ours to judge.
  EXPECT_EQ(read(kExact, {"--bad", "x", "--worse"}),
            "unknown option '--bad' (muster exact --help lists all options)");
  // What is near to an option is read as that one.
  EXPECT_EQ(read(kExact, {"--nnode", "3", "--worse", "-mcaa", "a", "b", "--nonsense", "p", "-q"}),
            "unknown option '--nnode' (did you mean --nnodes?); "
            "unknown option '--worse' (muster exact --help lists all options); "
            "unknown option '--nonsense' (muster exact --help lists all options); "
            "unknown option '-mcaa' (did you mean -mca?)");
  EXPECT_EQ(read(kExact, {"--hel", "prog", "--worse"}),
            "unknown option '--hel' (did you mean --help?)");
}

TEST(OptionReader, TellsAllThatIsWrongWhereOptionsStandBehindWords) {
  Grammar anywhere = kExact;
  anywhere.anywhere = true;
  EXPECT_EQ(read(anywhere, {"--bad", "x", "y", "--np", "z", "--worse", "--", "--more"}),
            "unknown option '--bad' (muster exact --help lists all options); "
            "unknown option '--worse' (muster exact --help lists all options)");
  EXPECT_EQ(read(anywhere, {"x", "--bad"}), "| x --bad") << "left to the caller";
}

TEST(OptionReader, TakesDashesAsTheLauncherDoes) {
  EXPECT_EQ(read(kExact, {"-bind-to", "none"}),
            "unknown option '-bind-to' (did you mean --bind-to?)");
  EXPECT_EQ(read(kOpenMpi, {"-bind-to", "none", "--n", "2", "p"}), "-bind-to=none --n=2 | p");
  EXPECT_EQ(read(kOpenMpi, {"---np", "2"}), "unknown option '---np' (did you mean -np?)");
  EXPECT_EQ(read(kHydra, {"----NP", "2", "p"}), "----NP=2 | p");
  EXPECT_EQ(read(kOpenMpi, {"-NP", "2"}), "unknown option '-NP' (mpirun --help lists all options)");
}

TEST(OptionReader, TakesUnderscoresAndAbbreviationsAsArgparseDoes) {
  EXPECT_EQ(read(kTorch, {"--nproc_per_node=2", "p"}), "--nproc_per_node=2 | p");
  EXPECT_EQ(read(kTorch, {"--nproc", "2", "p"}), "--nproc-per-node=2 | p");
  EXPECT_EQ(read(kTorch, {"--nn=2", "p"}), "--nnodes=2 | p");
  EXPECT_EQ(read(kTorch, {"--n", "2"}),
            "--n may be one of --np, --nproc-per-node (write the name in full)");
  EXPECT_EQ(read(kExact, {"--nproc", "2"}),
            "unknown option '--nproc' (did you mean --nproc-per-node?)");
}

TEST(OptionReader, TakesAnEqualsSignOrRefusesItWithAHint) {
  EXPECT_EQ(read(kExact, {"--np=4"}), "--np=4 |");
  Grammar strict = kOpenMpi;
  strict.equals_sign = false;
  EXPECT_EQ(read(strict, {"--np=4"}),
            "--np takes its value as the next word, not after '=' (write --np 4)");
}

TEST(OptionReader, TakesGluedValuesWhereTheLauncherDoes) {
  EXPECT_EQ(read(kExact, {"-n4"}), "unknown option '-n4' (did you mean -n?)");
  Grammar glued = kExact;
  glued.glued = Glued::numbers;
  EXPECT_EQ(read(glued, {"-np4", "-n4"}), "-np=4 -n=4 |");
  EXPECT_EQ(read(glued, {"-mcax"}), "unknown option '-mcax' (did you mean -mca?)");
}

TEST(OptionReader, TakesTwoValues) {
  EXPECT_EQ(read(kOpenMpi, {"-mca", "a", "-n", "-mca", "b", "2", "p"}), "-mca=a,-n -mca=b,2 | p");
  EXPECT_EQ(read(kOpenMpi, {"-mca", "a"}),
            "-mca needs two values: KEY VALUE (-mca, --mca KEY VALUE: Two.)");
  EXPECT_EQ(read(kOpenMpi, {"-mca"}),
            "-mca needs two values: KEY VALUE (-mca, --mca KEY VALUE: Two.)");
  EXPECT_EQ(read(kHydra, {"-env", "A=1", "-env", "B", "2", "p"}), "-env=A=1 -env=B,2 | p");
}

TEST(OptionReader, TakesAnOptionalValueOnlyGlued) {
  EXPECT_EQ(read(kExact, {"--tee", "p"}), "--tee= | p");
  EXPECT_EQ(read(kExact, {"--tee=3", "p"}), "--tee=3 | p");
}

TEST(OptionReader, SaysWhatASecondValueMeans) {
  EXPECT_EQ(read(kExact, {"-n", "1", "--np", "2"}),
            "--np '2' and -n '1' cannot be combined (keep one of them)");
  EXPECT_EQ(read(kExact, {"-n", "1", "--np", "1"}), "-n=1 --np=1 |");
  EXPECT_EQ(read(kTorch, {"-n", "1", "-n", "2"}), "-n=1 -n=2 |");
}

TEST(OptionReader, SaysOnceWhatHasNoEffect) {
  EXPECT_EQ(read(kExact, {"--xml", "--xml", "p"}), "| p / --xml has no effect here: old");
  EXPECT_EQ(read(kExact, {"--xterm", "1"}), "--xterm: no terminal (--xterm R: No.)");
}

TEST(OptionReader, KnowsOptionsForTheWholeJob) {
  Grammar grammar = kExact;
  EXPECT_EQ(read(grammar, {"-n", "1"}, true), "-n=1 |");
  grammar.late = LateJobOption::no_effect;
  EXPECT_EQ(
      read(grammar, {"-n", "1", "--nproc-per-node", "2"}, true),
      "--nproc-per-node=2 | / -n has no effect here: it is for the whole job; write it before "
      "the first ':'");
  grammar.late = LateJobOption::refused;
  EXPECT_EQ(read(grammar, {"-n", "1"}, true),
            "-n is for the whole job (write it before the first ':')");
}

}  // namespace
}  // namespace muster::option
