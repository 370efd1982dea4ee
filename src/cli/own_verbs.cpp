// A table of options that three commands share, read as those of front ends are.
#include "cli/own_verbs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/speak.hpp"
#include "front/table.hpp"
#include "front/voice.hpp"
#include "option/help.hpp"
#include "option/read.hpp"
#include "option/reader.hpp"
#include "spec/in_quotes.hpp"

namespace muster::cli {
namespace {

using front::Front;

struct OwnDraft {
  bool help = false;
};

using OwnRow = front::Option<OwnDraft>;

constexpr std::string_view kInformation = "Information";
constexpr std::string_view kHelpNames = "-h --help";
constexpr OwnRow kOwnRows[] = {
    front::color_row<OwnDraft>(kInformation), front::quiet_row<OwnDraft>(kInformation),
    front::version_row<OwnDraft>(kInformation),
    OwnRow{{kHelpNames, kInformation, front::Takes::nothing, "", "Show this help.", {.ends = true}},
           [](OwnDraft& draft, const front::Typed&) { return front::raise(draft.help); }}};

std::span<const OwnRow> own_rows() { return kOwnRows; }

front::OptionTexts own_options() { return option::texts_of(own_rows()); }

constexpr Front kOwnVerbs[] = {
    {"completion", "[OPTIONS] bash|zsh|fish", "Print a completion script: bash, zsh or fish.",
     false, 0, nullptr, own_options, true},
    {"help", "[OPTIONS] [COMMAND]", "Show this help, or that of a command.", false, 0, nullptr,
     own_options},
    {"version", "[OPTIONS]", "Show the version.", false, 0, nullptr, own_options, true}};

// What stands below the usage.
constexpr std::pair<std::string_view, std::string_view> kMore[] = {
    {"completion", R"(
Examples:
  source <(muster completion bash)    # in ~/.bashrc
  source <(muster completion zsh)     # in ~/.zshrc, behind compinit
  muster completion fish | source     # in ~/.config/fish/config.fish
)"},
    {"help", R"(muster help COMMAND prints the same as muster COMMAND --help.

Examples:
  muster help run
)"}};

const Front* own_verb(std::string_view name) {
  const auto* found = std::ranges::find(kOwnVerbs, name, &Front::names);
  return found == std::end(kOwnVerbs) ? nullptr : found;
}

// Options of the command that help is asked about are that command's own.
base::Result<OwnDraft> take_options(const Front& verb, std::vector<std::string>& words) {
  const std::string command = fmt::format("muster {}", verb.names);
  const option::Grammar grammar{
      .command = command, .glued = option::Glued::all, .anywhere = verb.takes_file};
  OwnDraft draft;
  std::vector<std::string> rest;
  std::span<const std::string> left(words);
  while (!left.empty() && !draft.help) {
    const auto read = option::read_options(own_rows(), grammar, left, draft);
    if (!read) return tl::unexpected(read.error());
    left = left.subspan(read->program);
    const std::size_t taken = verb.takes_file ? std::min<std::size_t>(1, left.size()) : left.size();
    rest.insert(rest.end(), left.begin(), left.begin() + std::ptrdiff_t(taken));
    left = left.subspan(taken);
  }
  words = std::move(rest);
  return draft;
}

// How many of these words are options, as the verbs have them; `names` gets which.
std::size_t leading_options(std::span<const std::string> words,
                            std::vector<std::string_view>& names) {
  const front::OptionTexts options = own_options();
  const option::Grammar grammar{.command = "muster", .glued = option::Glued::all};
  std::size_t count = 0;
  for (std::size_t before = 1; before != 0;) {  // some options end the reading
    option::OptionReader reader(options, grammar, words.subspan(count));
    for (auto found = reader.next(); found && *found; found = reader.next()) {
      names.push_back(options[(*found)->index]->names);
    }
    before = reader.at();
    count += before;
  }
  return count;
}

// Where options stand without a verb and ask for the help or the version, the verb that shows it
// stands in their place then, before the others: "muster help --color=never".
void name_verb(std::vector<std::string>& all) {
  if (all.size() < 2 || !all[1].starts_with('-')) return;
  std::vector<std::string> words(all.begin() + 1, all.end());
  std::ranges::replace(words, "-V", "--version");
  std::vector<std::string_view> names;
  const auto others = words.begin() + std::ptrdiff_t(leading_options(words, names));
  const bool is_help = std::ranges::count(names, kHelpNames) > 0;
  if (!is_help && std::ranges::count(names, front::kVersionNames) == 0) return;
  std::vector<std::string> named = {all.front(), is_help ? "help" : "version"};
  std::copy_if(words.begin(), others, std::back_inserter(named),
               [](const std::string& word) { return word != "-h" && word != "--help"; });
  named.insert(named.end(), all.end() - (words.end() - others), all.end());
  all = std::move(named);
}

}  // namespace

std::span<const Front> own_verbs() { return kOwnVerbs; }

std::optional<int> read_own_options(Invocation& invocation) {
  std::vector<std::string>& all = invocation.words;
  name_verb(all);
  const Front* const verb = all.size() > 1 ? own_verb(all[1]) : nullptr;
  if (verb == nullptr) return std::nullopt;
  std::vector<std::string> words(all.begin() + 2, all.end());
  const front::Voice voice = front::voice(*verb, words);
  if (voice.version) return print_version();
  speak_as(voice);
  const auto draft = take_options(*verb, words);
  if (!draft) return complain(draft.error());
  if (draft->help) return print(own_help(verb->names));
  if (verb->names == "version" && !words.empty()) {
    return complain({base::Fault::usage,
                     "muster version takes no words, such as " + spec::in_quotes(words.front()),
                     "muster help lists all commands",
                     {}});
  }
  all.erase(all.begin() + 2, all.end());
  all.insert(all.end(), words.begin(), words.end());
  return std::nullopt;
}

std::string own_help(std::string_view verb) {
  const Front& front = *own_verb(verb);
  const auto* more =
      std::ranges::find(kMore, verb, &std::pair<std::string_view, std::string_view>::first);
  std::string sentence(front.help);
  sentence.front() = static_cast<char>(sentence.front() - 'A' + 'a');
  const std::string head =
      fmt::format("muster {0}: {1}\n\nUsage: muster {0} {2}\n{3}", verb, sentence, front.argument,
                  more == std::end(kMore) ? std::string_view() : more->second);
  return option::help_text(head, own_options(), "", help_columns());
}

}  // namespace muster::cli
