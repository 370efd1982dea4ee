// Whatever option a front end hints at, its own reader knows.
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>

#include "front/front.hpp"

namespace muster::front::hinted_options_test {
namespace {

using Words = std::vector<std::string>;

base::Result<Reading> read(const Front& front, const Words& words) {
  const Words environment = {"HOME=/home/me"};
  const std::string called(front.names.substr(0, front.names.find(' ')));
  return front.read(
      {.called = called,
       .words = words,
       .environment = environment,
       .current_folder = "/here",
       .read_file = [](const std::string& path, std::size_t) -> base::Result<std::string> {
         return base::fail_at({path, 0, 0}, base::Fault::bad_file, "", "no file");
       },
       .counts = {.cpus = [] { return 8U; },
                  .gpus = [] { return 2U; },
                  .xpus = [] { return 0U; },
                  .gpu_variable = [] { return std::string("CUDA_VISIBLE_DEVICES"); }},
       .version = "1",
       .has_file = [](const std::string&) { return false; }});
}

// What it says of the words: the hint, or notices.
Words told(const Front& front, const Words& words) {
  const auto reading = read(front, words);
  if (!reading) return {reading.error().hint};
  Words all = reading->notices;
  for (const base::Error& one : reading->complaints) all.push_back(one.hint);
  return all;
}

bool knows(const Front& front, const std::string& option) {
  const auto reading = read(front, {option});
  return reading || !reading.error().what.starts_with("unknown option");
}

// A value that may well be right.
std::string value_for(const OptionText& option) {
  if (option.takes == Takes::number) return "1";
  if (option.takes != Takes::choice) return "x";
  return std::string(option.traits.choices.substr(0, option.traits.choices.find(' ')));
}

Words typed(const OptionText& option, std::string_view name) {
  Words words = {std::string(name)};
  if (option.takes == Takes::nothing || option.traits.arity == Arity::optional) return words;
  words.push_back(value_for(option));
  if (option.traits.arity == Arity::two || option.traits.arity == Arity::pair)
    words.emplace_back("1");
  return words;
}

// All that a person may get wrong: each option with odd values, and each two of them together.
std::vector<Words> wrong_lines(const Front& front) {
  std::vector<Words> lines = {{}, {"--zebra"}, {"p"}};
  lines.push_back({"--target", "zebra", "job.yml"});
  lines.push_back({"--target", "zebra", "kubernetes", "job.yml"});
  for (const OptionText* one : front.options()) {
    if (one->traits.ends) continue;
    for (const std::string_view name : names_of(*one)) {
      const std::string word(name);
      for (const Words& tail : {Words{},
                                {""},
                                {"zebra"},
                                {"-1", "p"},
                                {"zebra,,=", "zebra:", "p"},
                                {"99999999999", "p"}}) {
        lines.push_back({word});
        lines.back().insert(lines.back().end(), tail.begin(), tail.end());
      }
    }
    for (const OptionText* other : front.options()) {
      if (other->traits.ends) continue;
      Words words = typed(*one, names_of(*one).front());
      const Words more = typed(*other, names_of(*other).front());
      words.insert(words.end(), more.begin(), more.end());
      words.emplace_back("p");
      lines.push_back(std::move(words));
    }
  }
  return lines;
}

// Of a sentence; what other programs are told, and what is quoted, is none.
Words options_in(std::string text) {
  static const std::regex others(
      "`[^`]*`|'[^']*'|qrsh -inherit|--container-option --runtime|scripts get no --local_rank");
  static const std::regex option("(^|[ (])(--?[A-Za-z][A-Za-z0-9_-]*)");
  text = std::regex_replace(text, others, " ");
  Words found;
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) {
    found.push_back((*at)[2]);
  }
  return found;
}

TEST(HintedOptions, AreReadByTheFrontThatHintsAtThem) {
  std::size_t told_in_all = 0;
  for (const Front& front : fronts()) {
    std::map<std::string, std::string> hints;  // an option and a sentence with it
    for (const Words& words : wrong_lines(front)) {
      for (const std::string& text : told(front, words)) {
        for (const std::string& option : options_in(text)) {
          hints.try_emplace(option, fmt::format("{}\n  told of {}", text, fmt::join(words, " ")));
        }
      }
    }
    told_in_all += hints.size();
    for (const auto& [option, text] : hints) {
      EXPECT_TRUE(knows(front, option)) << front.names << " has no " << option << ": " << text;
    }
  }
  EXPECT_GT(told_in_all, 500U);
}

}  // namespace
}  // namespace muster::front::hinted_options_test
