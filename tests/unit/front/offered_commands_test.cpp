// Whatever command of muster's its sources print can be pasted: its front end reads it.
#include <algorithm>
#include <cctype>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "base/words.hpp"
#include "front/front.hpp"
#include "unit/front/source_words.hpp"

namespace muster::front::offered_commands_test {
namespace {

using Words = std::vector<std::string>;

// Commands without a front end.
const std::set<std::string> kOthers = {"agent", "completion", "errand",
                                       "help",  "version",    "--version"};

struct Offer {
  std::string file;
  std::string sentence;
  std::string verb;
  Words words;            // behind it, as far as they can be told from the sentence
  bool is_whole = false;  // nothing has to be added to it
};

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

const OptionText* option_of(const Front& front, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  for (const OptionText* option : front.options()) {
    if (std::ranges::count(names_of(*option), name) > 0) return option;
  }
  return nullptr;
}

// RUN, {}, last, job.yml, 10.0.0.1:7000: what no sentence goes on with.
bool is_operand(std::string_view word) {
  if (word == "last" || word == "--") return true;
  if (word.starts_with('{')) return true;
  if (word.find_first_of("./0123456789") != std::string_view::npos) return true;
  return word.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
}

// Of a sentence, which may go on behind the command.
Words words_in_sentence(const Front& front, const Words& all) {
  Words words;
  bool is_value = false;
  for (const std::string& word : all) {
    if (words.empty() && (word == "takes" || word == "with" || word == "needs")) continue;
    const OptionText* option = word.starts_with('-') ? option_of(front, word) : nullptr;
    if (!is_value && !word.starts_with('-') && !is_operand(word)) break;
    words.push_back(word);
    is_value = option != nullptr && option->takes != Takes::nothing && !holds(word, "=");
  }
  return words;
}

void add_offers(const SourceWords& source, std::vector<Offer>& offers) {
  constexpr std::string_view kName = "muster ";
  const std::string& text = source.text;
  for (std::size_t at = 0; (at = text.find(kName, at)) != std::string::npos; at += kName.size()) {
    const char before = at == 0 ? ' ' : text[at - 1];
    if (std::isspace(static_cast<unsigned char>(before)) == 0 && before != '`' && before != '(')
      continue;
    const bool is_quoted = before == '`';
    const std::size_t begin = at + kName.size();
    const bool is_example = (source.is_example && text.find_first_not_of(' ') == at) ||
                            text.substr(0, at).ends_with("for example: ");
    const char* const ends = is_quoted ? "`" : is_example ? ">&" : ",;()`\n";
    std::string rest = text.substr(begin, text.find_first_of(ends, begin) - begin);
    for (const std::string_view end : {": ", "  #", ". ", " 2>", " | "})
      rest = rest.substr(0, rest.find(end));
    if (!is_example && !is_quoted && (rest.ends_with('.') || rest.ends_with('?'))) rest.pop_back();
    Words words = base::split(rest, " \\");
    if (words.empty()) continue;
    const std::string verb = words.front();
    words.erase(words.begin());
    const Front* front = front_of(verb);
    const bool is_known = front != nullptr || kOthers.contains(verb);
    EXPECT_TRUE(is_known || (!is_quoted && !is_example) || verb.starts_with('{'))
        << source.file << ": no command " << verb << ": " << text;
    if (front == nullptr) continue;
    const bool is_whole = is_quoted || is_example;
    offers.push_back(
        {source.file, text, verb, is_whole ? words : words_in_sentence(*front, words), is_whole});
  }
}

// What a person writes in the place of a word.
std::string filled_in(const Front& front, std::string word, std::string_view option) {
  static const std::map<std::string, std::string, std::less<>> kValues = {
      {"SECONDS", "5"},
      {"N", "1"},
      {"K", "1"},
      {"FILE", "job.yml"},
      {"ADDRESS:PORT", "10.0.0.1:7000"},
      {"NAME", "x"}};
  if (const auto known = kValues.find(word); known != kValues.end()) return known->second;
  if (!word.starts_with('{')) return word;
  const OptionText* of = option.empty() ? nullptr : option_of(front, option);
  return of != nullptr && of->takes == Takes::number ? "1" : "last";
}

Words filled_in(const Offer& offer) {
  const Front& front = *front_of(offer.verb);
  Words words;
  for (const std::string& word : offer.words) {
    if (word == "...") continue;
    words.push_back(filled_in(front, word, words.empty() ? "" : words.back()));
  }
  // "mpirun with --cpu-set" names the option alone.
  const OptionText* last = words.empty() ? nullptr : option_of(front, words.back());
  const bool lacks_value = last != nullptr && last->takes != Takes::nothing &&
                           !words.back().ends_with('=') && !offer.is_whole;
  if (lacks_value) words.emplace_back("1");
  return words;
}

const std::map<std::string, std::string, std::less<>> kFiles = {
    {"/here/muster.yml",
     "targets: {x: {hosts: 'a:1'}, cluster: {slurm: {}}, lab: {kubernetes: {}}}"},
    {"pipeline.yml", "type: pipeline\njobs: {evaluate: {command: x}}\n"},
    {"hosts", "node1 slots=8\n"}};

base::Result<std::string> read_text(const std::string& path, std::size_t) {
  const auto known = kFiles.find(path);
  if (known != kFiles.end()) return known->second;
  if (path.ends_with("job.yml")) return "command: x ${{inputs.lr}}\ninputs: {lr: 1}\n";
  return base::fail(base::Fault::bad_file, "", "no file {}", path);
}

// Why its front end does not read it; empty: it does. What is wrong with a file is another matter.
std::string refusal(const std::string& verb, const Words& words) {
  const auto read = front_of(verb)->read(
      {.called = verb,
       .words = words,
       .environment = {"HOME=/home/u"},
       .current_folder = "/here",
       .read_file = read_text,
       .record_folder = "/records/20261121-212530.123-kufari",
       .has_file = [](const std::string& path) { return kFiles.contains(path); }});
  return read || read.error().fault != base::Fault::usage ? "" : to_string(read.error());
}

// What a person adds who reads of "muster logs -f", or of "muster join --of N": any that fits.
std::vector<std::pair<Words, Words>> additions(const std::string& verb) {
  if (verb == "lead") {
    return {{{}, {"--", "true"}},
            {{"-H", "node1"}, {}},
            {{"-H", "node1"}, {"--", "true"}},
            {{"--listen", "10.0.0.1:7000", "--secret-file", "s"}, {"--", "true"}}};
  }
  if (verb == "join") {
    return {{{}, {"10.0.0.1:7000", "--secret-file", "s"}},
            {{"--node", "0"}, {"10.0.0.1:7000", "--secret-file", "s"}}};
  }
  if (verb == "export") return {{{}, {"kubernetes", "job.yml"}}, {{}, {"job.yml"}}};
  return {{{}, {"last"}}, {{}, {"job.yml"}}, {{"-np", "1"}, {"prog"}}};
}

std::string refusal(const Offer& offer) {
  const Words words = filled_in(offer);
  const std::string why = refusal(offer.verb, words);
  // Of launchers options may be named alone: the program is the user's own.
  const bool may_be_part = words.empty() || offer.verb == "lead" ||
                           (offer.verb == "run" && words.front().starts_with('-'));
  if (why.empty() || (offer.is_whole && !may_be_part)) return why;
  for (const auto& [front, back] : additions(offer.verb)) {
    Words more = front;
    more.insert(more.end(), words.begin(), words.end());
    more.insert(more.end(), back.begin(), back.end());
    if (refusal(offer.verb, more).empty()) return "";
  }
  return why;
}

TEST(OfferedCommands, AreReadByTheirFrontEnds) {
  std::vector<Offer> offers;
  for (const SourceWords& source : source_words()) add_offers(source, offers);
  std::set<std::string> with_words;
  std::set<std::string> of_python;
  for (const Offer& offer : offers) {
    if (!offer.words.empty()) with_words.insert(offer.verb);
    if (offer.file.starts_with("python/")) of_python.insert(offer.verb);
    EXPECT_EQ(refusal(offer), "") << offer.file << ": muster " << offer.verb << " "
                                  << fmt::format("{}", fmt::join(offer.words, " "))
                                  << "\nof: " << offer.sentence;
  }
  EXPECT_GT(offers.size(), 150U);
  for (const char* verb : {"run", "logs", "rm", "gc", "stop", "show", "submit", "export", "lead"}) {
    EXPECT_TRUE(with_words.contains(verb)) << verb;
  }
  for (const char* verb : {"submit", "run", "logs", "stop", "report", "rerun", "rm", "ps"}) {
    EXPECT_TRUE(of_python.contains(verb)) << verb;
  }
}

// "-t of muster run", "--slurm-option qos= of muster run": options that sentences name.
TEST(OfferedCommands, HaveTheOptionsThatAreSaidToBeTheirs) {
  std::size_t found = 0;
  for (const SourceWords& source : source_words()) {
    const Words words = base::split(source.text, " ,;:`()\n");
    for (std::size_t at = 2; at + 1 < words.size(); ++at) {
      if (words[at] != "muster" || words[at - 1] != "of") continue;
      const Front* front = front_of(words[at + 1]);
      for (std::size_t back = at - 1; front != nullptr && back-- > 0;) {
        const bool is_option = words[back].starts_with('-') && words[back].size() > 1;
        if (!is_option && words[back] != "and" && !words[back].ends_with('=')) break;
        if (!is_option) continue;
        ++found;
        EXPECT_NE(option_of(*front, words[back]), nullptr) << source.file << ": " << source.text;
      }
    }
  }
  EXPECT_GT(found, 5U);
}

}  // namespace
}  // namespace muster::front::offered_commands_test
