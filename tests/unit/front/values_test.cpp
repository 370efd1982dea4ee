// For every front end and option: a missing, a wrong and an absurd value are one line that names
// the option, and no request.
#include <algorithm>
#include <gtest/gtest.h>

#include "base/words.hpp"
#include "front/front.hpp"

namespace muster::front::values_test {
namespace {

struct Case {
  const Front* front;
  const OptionText* option;
};

std::string main_name(const Front& front) {
  return std::string(front.names.substr(0, front.names.find(' ')));
}

base::Result<std::string> no_file(const std::string& path, std::size_t) {
  return base::fail(base::Fault::bad_file, "", "no file {}", path);
}

base::Result<Reading> read(const Front& front, std::vector<std::string> words) {
  return front.read({.called = main_name(front),
                     .words = std::move(words),
                     .current_folder = "/here",
                     .read_file = no_file,
                     .has_file = [](const std::string&) { return false; }});
}

std::vector<Case> cases(bool (*wanted)(const OptionText&)) {
  std::vector<Case> all;
  for (const Front& front : fronts()) {
    for (const OptionText* option : front.options()) {
      if (wanted(*option)) all.push_back({&front, option});
    }
  }
  return all;
}

bool needs_value(const OptionText& option) {
  return option.takes != Takes::nothing && option.traits.arity != Arity::optional;
}

bool is_choosy(const OptionText& option) {
  return needs_value(option) && option.traits.support.works() &&
         (option.takes == Takes::number || option.takes == Takes::choice);
}

void expect_complaint(const Case& one, const std::vector<std::string>& words) {
  const auto reading = read(*one.front, words);
  const std::string told = main_name(*one.front) + " " + words[0];
  ASSERT_FALSE(reading) << told << " was taken";
  EXPECT_EQ(reading.error().what.find('\n'), std::string::npos) << told;
  EXPECT_NE(reading.error().what.find(words[0]), std::string::npos)
      << told << ": " << reading.error().what;
  EXPECT_FALSE(reading.error().hint.empty()) << told;
  EXPECT_EQ(reading.error().hint.find('\n'), std::string::npos) << told;
}

TEST(Values, AMissingOneIsRefused) {
  for (const Case& one : cases(needs_value)) {
    for (const std::string_view name : names_of(*one.option)) {
      expect_complaint(one, {std::string(name)});
    }
  }
}

TEST(Values, AWrongOneIsRefused) {
  for (const Case& one : cases(is_choosy)) {
    for (const char* value : {"banana", "", "-7x", "1e99999", "4 4", "\xff\xfe"}) {
      expect_complaint(one, {std::string(names_of(*one.option).front()), value, "program"});
    }
  }
}

bool has_choices(const OptionText& option) {
  return needs_value(option) && option.traits.support.works() && !option.traits.choices.empty();
}

TEST(Values, AChoiceWithOneLetterLessIsKnownAgain) {
  std::size_t tried = 0;
  for (const Case& one : cases(has_choices)) {
    const std::vector<std::string> choices = base::split(one.option->traits.choices, " ");
    for (const std::string& choice : choices) {
      constexpr std::size_t kLeast = 3;  // shorter ones are near to nothing
      std::string typed = choice;
      typed.erase(1, 1);
      if (choice.size() < kLeast || std::ranges::count(choices, typed) > 0) continue;
      const auto reading =
          read(*one.front, {std::string(names_of(*one.option).front()), typed, "program"});
      const std::string told =
          main_name(*one.front) + " " + std::string(one.option->names) + " " + typed;
      ASSERT_FALSE(reading) << told << " was taken";
      EXPECT_TRUE(reading.error().hint.starts_with("did you mean "))
          << told << ": " << reading.error().hint;
      ++tried;
    }
  }
  EXPECT_GT(tried, 100U);
}

TEST(Values, OfSeveralPartsAreKnownAgain) {
  const auto hint = [](const std::string& front, const std::vector<std::string>& words) {
    const auto reading = read(*front_of(front), words);
    return reading ? "" : reading.error().hint;
  };
  EXPECT_EQ(hint("mpirun", {"--map-by", "ppr:2:nde", "p"}), "did you mean node?");
  EXPECT_EQ(hint("mpirun", {"--map-by", "ppr:2:banana", "p"}), "for example ppr:2:node");
  EXPECT_EQ(hint("mpiexec.hydra", {"-membind", "interlave", "p"}), "did you mean interleave:0?");
  EXPECT_NE(hint("mpiexec.hydra", {"-membind", "bind:x", "p"}).find("numactl"), std::string::npos);
  EXPECT_EQ(hint("torchrun", {"--nproc-per-node", "gup", "p"}), "did you mean gpu?");
  EXPECT_EQ(hint("torchrun", {"--event-log-handler", "consol", "p"}), "did you mean console?");
  EXPECT_EQ(hint("deepspeed", {"--log_level", "inof", "p"}), "did you mean info?");
  EXPECT_EQ(hint("mpiexec.hydra", {"-rmk", "slrum", "p"}), "did you mean slurm?");
}

TEST(Values, AnAbsurdNumberIsRefused) {
  for (const Case& one : cases(is_choosy)) {
    if (one.option->takes != Takes::number) continue;
    for (const char* value : {"99999999999999999999", "4294967297", "-7"}) {
      expect_complaint(one, {std::string(names_of(*one.option).front()), value, "program"});
    }
  }
}

TEST(Values, AnyBytesGiveARequestOrOneLine) {
  for (const Case& one : cases(needs_value)) {
    for (const char* value : {"", "=", ",", ":", "\xff", "%", "@", "a b", "((((", "0"}) {
      const auto reading =
          read(*one.front, {std::string(names_of(*one.option).front()), value, "program"});
      if (!reading) {
        EXPECT_EQ(reading.error().what.find('\n'), std::string::npos) << one.option->names;
      }
    }
  }
}

}  // namespace
}  // namespace muster::front::values_test
