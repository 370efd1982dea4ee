// Finds the command that is meant and hands the words on.
#include "cli/cli.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/shell_word.hpp"
#include "cli/completion.hpp"
#include "cli/errand.hpp"
#include "cli/head_options.hpp"
#include "cli/help.hpp"
#include "cli/hold_hosts.hpp"
#include "cli/left_variables.hpp"
#include "cli/list.hpp"
#include "cli/own_verbs.hpp"
#include "cli/run.hpp"
#include "cli/speak.hpp"
#include "cli/step_agent.hpp"
#include "cli/typed_line.hpp"
#include "host/agent.hpp"
#include "host/limits.hpp"
#include "link/armoured_program.hpp"
#include "link/shared_step.hpp"
#include "model/agent_words.hpp"
#include "plan/surroundings.hpp"
#include "process/own_streams.hpp"
#include "process/own_umask.hpp"
#include "view/program_file.hpp"

namespace muster::cli {
namespace {

using base::Fault;

int complete(const Invocation& invocation) {
  const std::vector<std::string>& words = invocation.words;
  if (words.size() == 3 && words[2] == kCompletionRuns) return offer_runs(invocation);
  const std::string shell = words.size() == 3 ? words[2] : "";
  auto script = completion(shell);
  if (!script) {
    const std::vector<std::string> shells = {"bash", "zsh", "fish"};
    base::Error& error = script.error();
    error.hint = base::did_you_mean(shell, shells, std::move(error.hint));
    return complain(error);
  }
  return print(*script);
}

// What other tools call such a command, or what people type who look for it.
constexpr std::pair<std::string_view, std::string_view> kCalledElsewhere[] = {
    {"accelerate", "muster run -n 4 accelerate launch ..., or muster torchrun ..."},
    {"attach", "muster logs -f RUN"},
    {"cancel", "muster stop RUN"},
    {"check", "muster validate FILE"},
    {"clean", "muster gc"},
    {"delete", "muster rm RUN"},
    {"describe", "muster show RUN"},
    {"history", "muster ps --all"},
    {"info", "muster show RUN"},
    {"jobs", "muster ps"},
    {"kill", "muster stop RUN"},
    {"lint", "muster validate FILE"},
    {"list", "muster ps"},
    {"ls", "muster ps"},
    {"msrun", "muster run -n 8 python3 train.py, which sets MindSpore's variables too"},
    {"plan", "muster explain FILE"},
    {"prune", "muster gc"},
    {"qdel", "muster stop RUN"},
    {"qstat", "muster ps"},
    {"qsub", "muster submit --target NAME FILE"},
    {"remove", "muster rm RUN"},
    {"runs", "muster ps"},
    {"sbatch", "muster submit --target NAME FILE"},
    {"scancel", "muster stop RUN"},
    {"squeue", "muster ps"},
    {"srun", "muster run --slurm -N 2 --per-node 8 PROGRAM"},
    {"start", "muster run -n 4 PROGRAM"},
    {"status", "muster ps, or muster show RUN"},
    {"tail", "muster logs -f RUN"},
    {"top", "muster ps"},
};

bool is_placeholder(std::string_view word) {
  return word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
}

// "muster stop RUN" with the user's own words in place of RUN, where they make sense there.
std::string with_own_words(std::string_view here, std::span<const std::string> own) {
  const std::size_t blank = here.rfind(' ');
  const bool ends_open = is_placeholder(here.substr(blank + 1));
  const std::string_view front = ends_open ? here.substr(0, blank) : here;
  // Options that are only examples do not go with those of the user.
  const bool has_examples = front.find_first_of("0123456789,") != std::string_view::npos ||
                            is_placeholder(front.substr(front.rfind(' ') + 1));
  if (own.empty() || (has_examples && own.front().starts_with('-'))) return std::string(here);
  const std::string line = understood_line(front, {own.begin(), own.end()});
  return line.empty() ? std::string(here) : line;
}

// What the first of these words is called here, as a hint; or nothing.
std::string called_here(std::span<const std::string> words) {
  const std::string& word = words.front();
  for (const auto& [name, here] : kCalledElsewhere) {
    if (name == word) return "did you mean: " + with_own_words(here, words.subspan(1));
  }
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  const auto near = base::nearest(word, names);
  if (!near) return "";
  std::vector<std::string> right = {"muster", *near};
  right.insert(right.end(), words.begin() + 1, words.end());
  return "did you mean: " + base::shell_words(right);
}

// The words that start what the first of these names.
std::string started_here(std::span<const std::string> words) {
  const view::Meant meant = view::meant_by(words.front());
  if (meant == view::Meant::line) {
    return "quotes make one word of it; without them: muster " + words.front();
  }
  std::vector<std::string> right = {"muster", "run"};
  if (meant == view::Meant::job_file) right = {"muster", "submit"};
  if (meant != view::Meant::job_file && !words.front().starts_with('-')) {
    right.insert(right.end(), {"-n", "4"});
  }
  if (meant == view::Meant::python) right.emplace_back("python3");
  if (meant == view::Meant::shell) right.emplace_back("sh");
  right.insert(right.end(), words.begin(), words.end());
  return fmt::format("to start a {}: {}", meant == view::Meant::job_file ? "job file" : "program",
                     base::shell_words(right));
}

bool is_command(const std::string& word) {
  const std::vector<Command> all = commands();
  return front::front_of(word) != nullptr || std::ranges::count(all, word, &Command::name) > 0;
}

bool is_option(const std::string& word) { return word.starts_with('-'); }

// How many words may follow such an option as its value.
std::size_t words_of_value(const front::Front* front, const std::string& option) {
  if (front == nullptr) return 0;
  for (const front::OptionText* text : front->options()) {
    if (std::ranges::count(front::names_of(*text), option) == 0) continue;
    const front::Arity arity = text->traits.arity;
    if (text->takes == front::Takes::nothing || arity == front::Arity::optional) return 0;
    return arity == front::Arity::one ? 1 : 2;
  }
  return 0;
}

// Whether these are options and their values.
bool are_options(std::span<const std::string> words, const front::Front* front) {
  std::size_t open = 0;  // words that the option before may still take
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (is_option(word)) {
      open = words_of_value(front, word);
    } else if (open-- == 0) {
      return false;
    }
  }
  return true;
}

// The command behind leading options, which are to follow it, as a hint; or nothing: options of
// `run` may stand in front of a program that is called as a command is. What is not understood
// behind the command is left out, unless it has values.
std::string behind_options(std::span<const std::string> words) {
  const auto command = std::ranges::find_if(words, is_command);
  const auto options = words.first(command - words.begin());
  if (command == words.end() || options.empty()) return "";
  if (!are_options(options, front::front_of(*command))) return "";
  std::vector<std::string> own(options.begin(), options.end());
  own.insert(own.end(), command + 1, words.end());
  const std::string front_words = "muster " + *command;
  std::string line = understood_line(front_words, own);
  if (line.empty() && std::ranges::all_of(options, is_option)) {
    own.erase(own.begin(), own.begin() + (command - words.begin()));
    line = front_words + (own.empty() ? "" : " " + base::shell_words(own));
  }
  return line.empty() ? "" : "options follow the command: " + line;
}

// `words`: what followed "muster"; options of `run` may stand in front of a program.
int unknown_command(std::span<const std::string> words) {
  const std::string& word = words.front();
  std::string hint = behind_options(words);
  if (hint.empty()) hint = called_here(words);
  if (hint.empty()) hint = started_here(words);
  return complain({Fault::usage, "unknown command " + word, hint, {}});
}

// `muster help run` is `muster run --help`.
int help(const Invocation& invocation) {
  const std::vector<std::string>& words = invocation.words;
  if (words.size() < 3) return print(main_help(help_columns()));
  const std::string& word = words[2];
  const auto is_meant = [&](const Command& command) { return command.name == word; };
  if (const auto* front = front::front_of(word)) {
    Invocation asked = invocation;
    asked.words = {words[0], word, "--help"};
    asked.words.insert(asked.words.end(), words.begin() + 3, words.end());  // "all"
    return run(*front, asked, 1);
  }
  if (std::ranges::any_of(commands(), is_meant)) return print(own_help(word));
  constexpr int kUsage = 2;  // as man and git help end for a page that is not there
  std::string hint = called_here(std::span(words).subspan(2));
  if (hint.empty()) hint = "muster help lists all commands";
  (void)complain({Fault::usage, "no help for " + word + ": there is no such command", hint, {}});
  return kUsage;
}

// The agent, or the command that speaks with one.
int armoured(const Invocation& invocation) {
  const bool is_agent = invocation.words[2] == model::kSpeaksLines;
  const std::vector<std::string> agent = {own_path(), "agent"};
  const std::vector<std::string> command(invocation.words.begin() + 3, invocation.words.end());
  if (!is_agent && command.empty()) return base::exit_code(Fault::usage);
  const auto code = link::run_armoured(is_agent ? agent : command, invocation.environment,
                                       is_agent ? link::Side::agent : link::Side::head);
  return code ? *code : complain(code.error());
}

}  // namespace

int main(Invocation invocation) {
  process::settle_umask();
  process::fill_standard_streams();
  host::ignore_file_size_signal();
  invocation.left = drop_left_variables(invocation.environment);
  plan::Surroundings around = plan::surroundings(invocation.environment);
  invocation.environment = std::move(around.environment);
  invocation.given = std::move(around.given);
  const std::vector<std::string>& words = invocation.words;
  if (words.empty()) return base::exit_code(Fault::usage);
  if (const auto* front = front::front_of(base_name(words[0])); front && front->drop_in) {
    return run(*front, invocation, 0);
  }
  if (words.size() < 2) {
    say(main_help(help_columns()));
    return base::exit_code(Fault::usage);
  }
  const std::string command = words[1];
  if (const auto* front = front::front_of(command)) return run(*front, invocation, 1);
  if (command == "agent") {
    const std::string what = words.size() > 2 ? words[2] : std::string();
    if (what == kHoldsHosts) return hold_hosts(invocation);
    if (what == link::kCallsHead) return step_agent(invocation);
    if (what == model::kSpeaksLines || what == model::kReadsLines) return armoured(invocation);
    return host::run_agent(invocation.environment, MUSTER_VERSION);
  }
  if (command == "errand") {
    return do_errand({words.begin() + 2, words.end()}, invocation);
  }
  if (const auto told = read_own_options(invocation)) return *told;
  const std::string& verb = words[1];  // options may have got one
  if (verb == "completion") return complete(invocation);
  if (verb == "version") return print_version();
  if (verb == "help") return help(invocation);
  return unknown_command(std::span(words).subspan(1));
}

}  // namespace muster::cli
