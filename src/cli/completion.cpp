// Writes completion scripts. Both complete options up to the program, then what the shell itself
// would complete for that program.
#include "cli/completion.hpp"

#include <algorithm>

#include "cli/help.hpp"
#include "front/front.hpp"
#include "spec/in_quotes.hpp"

namespace muster::cli {
namespace {

using front::Arity;
using front::Front;
using front::OptionText;
using front::Takes;

std::string_view main_name(const Front& front) {
  return front.names.substr(0, front.names.find(' '));
}

// "mpirun|mpiexec"
std::string pattern(std::string_view names) {
  std::string pattern(names);
  std::replace(pattern.begin(), pattern.end(), ' ', '|');
  return pattern;
}

// How many words after the option are its value.
std::size_t count(const OptionText& option) {
  const Arity arity = option.traits.arity;
  if (option.takes == Takes::nothing || arity == Arity::optional) return 0;
  return arity == Arity::two || arity == Arity::pair ? 2 : 1;
}

std::string command_names() {
  std::string names;
  for (const Command& command : commands()) names += std::string(command.name) + " ";
  names.pop_back();
  return names;
}

std::string bash_action(const OptionText& option) {
  switch (option.takes) {
    case Takes::file:
      return R"(compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")))";
    case Takes::folder:
      return R"(compopt -o filenames; COMPREPLY=($(compgen -d -- "$word")))";
    case Takes::choice:
      return fmt::format(R"(COMPREPLY=($(compgen -W '{}' -- "$word")))", option.traits.choices);
    default:
      return "COMPREPLY=()";
  }
}

// "run:-n|run:-np"
std::string labels(const Front& front, const OptionText& option) {
  std::string labels;
  for (const std::string_view name : front::names_of(option)) {
    labels += fmt::format("{}{}:{}", labels.empty() ? "" : "|", main_name(front), name);
  }
  return labels;
}

// What follows the options.
enum class Rest : std::uint8_t { program, file, run, nothing };

Rest rest_of(const Front& front) {
  if (front.argument.find("RUN") != std::string_view::npos) return Rest::run;
  if (!front.takes_file) return Rest::program;
  return front.argument.find("FILE") != std::string_view::npos ? Rest::file : Rest::nothing;
}

// What a command is really called, and its options.
std::string bash_fronts() {
  std::string branches;
  for (const Front& front : front::fronts()) {
    std::string names;
    for (const OptionText* option : front.options()) {
      names += (names.empty() ? "" : " ") + std::string(option->names);
    }
    branches += fmt::format("    {}) command={}; rest={}; names='{}' ;;\n", pattern(front.names),
                            main_name(front), static_cast<int>(rest_of(front)), names);
  }
  return branches;
}

// One branch of a `case` for each option that takes a value.
std::string bash_values() {
  std::string branches;
  for (const Front& front : front::fronts()) {
    for (const OptionText* option : front.options()) {
      if (count(*option) == 0) continue;
      branches +=
          fmt::format("    {}) {}; return ;;\n", labels(front, *option), bash_action(*option));
    }
  }
  return branches;
}

std::string bash_counts() {
  std::string branches;
  for (const Front& front : front::fronts()) {
    for (const OptionText* option : front.options()) {
      if (count(*option) == 0) continue;
      branches += fmt::format("    {}) count={} ;;\n", labels(front, *option), count(*option));
    }
  }
  return branches;
}

// Bash splits words at '=', so --opt=value arrives as three words.
constexpr std::string_view kBash = R"(# bash completion for muster: source <(muster completion bash)
_muster_count() {{
  case $1:$2 in
{counts}    *) count=0 ;;
  esac
}}
_muster_runs() {{
  command muster ps --all 2>/dev/null | sed 1d | cut -d' ' -f1
}}
_muster() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} at=2 before command names count rest
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{commands}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
    completion) COMPREPLY=($(compgen -W 'bash zsh' -- "$word")); return ;;
{fronts}    *) return ;;
  esac
  # The program's own words are completed as for the program alone.
  while ((at < COMP_CWORD)); do
    case ${{COMP_WORDS[at]}} in
      --) at=$((at + 1)); break ;;
      -*)
        _muster_count "$command" "${{COMP_WORDS[at]}}"
        at=$((at + 1 + count))
        ((count == 1)) && [[ ${{COMP_WORDS[at - 1]}} == = ]] && at=$((at + 1)) ;;
      *) ((rest)) || break; at=$((at + 1)) ;;
    esac
  done
  if ((at < COMP_CWORD)); then
    if declare -F _command_offset >/dev/null; then _command_offset "$at"
    else compopt -o default; fi
    return
  fi
  before=${{COMP_WORDS[COMP_CWORD - 1]}}
  [[ $before == = ]] && before=${{COMP_WORDS[COMP_CWORD - 2]}}
  [[ $word == = ]] && word=
  case $command:$before in
{values}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$names" -- "$word"))
    return
  fi
  case $rest in
    0) COMPREPLY=($(compgen -c -- "$word")) ;;
    1) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")) ;;
    2) COMPREPLY=($(compgen -W 'last $(_muster_runs)' -- "$word")) ;;
  esac
}}
complete -F _muster muster
)";

std::string bash() {
  return fmt::format(fmt::runtime(kBash), fmt::arg("commands", command_names()),
                     fmt::arg("fronts", bash_fronts()), fmt::arg("counts", bash_counts()),
                     fmt::arg("values", bash_values()));
}

// _arguments reads ':', '[' and ']' as its own; a single quote would end the word.
std::string zsh_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') safe += '\\';
    if (c == '\'') {
      safe += R"('\'')";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string zsh_value(const OptionText& option) {
  const std::string word = zsh_text(option.argument);
  std::string value;
  switch (option.takes) {
    case Takes::nothing:
      return "";
    case Takes::file:
      return ":" + word + ":_files";
    case Takes::folder:
      return ":" + word + ":_files -/";
    case Takes::choice:
      return fmt::format(":{}:({})", word, option.traits.choices);
    default:
      for (std::size_t i = 0; i < count(option); ++i) value += ":" + word + ": ";
      return value;
  }
}

// Names that begin with -- also take =VALUE; -n, -H and -x take a glued value.
std::string zsh_name(const OptionText& option, std::string_view name) {
  if (option.takes == Takes::nothing || count(option) != 1) return std::string(name);
  if (name.starts_with("--")) return std::string(name) + "=";
  return std::string(name) + (name.size() == 2 ? "+" : "");
}

std::string zsh_options(const Front& front) {
  std::string lines;
  for (const OptionText* option : front.options()) {
    // Either repeatable, or shutting out its other spellings and itself.
    const std::string others =
        option->traits.repeatable ? "*" : "(" + std::string(option->names) + ")";
    for (const std::string_view name : front::names_of(*option)) {
      lines += fmt::format("        '{}{}[{}]{}' \\\n", others, zsh_name(*option, name),
                           zsh_text(option->help), zsh_value(*option));
    }
  }
  return lines;
}

std::string_view zsh_rest(const Front& front) {
  switch (rest_of(front)) {
    case Rest::program:
      return "        '(-):program: _command_names -e' \\\n"
             "        '*::arguments: _normal' ;;\n";
    case Rest::file:
      return "        '*:file:_files' ;;\n";
    case Rest::run:
      return "        '*:run:_muster_runs' ;;\n";
    case Rest::nothing:
      break;
  }
  return "        ;;\n";
}

std::string zsh_fronts() {
  std::string branches;
  for (const Front& front : front::fronts()) {
    branches += fmt::format("    {})\n      _arguments -S \\\n{}", pattern(front.names),
                            zsh_options(front));
    branches += zsh_rest(front);
  }
  return branches;
}

constexpr std::string_view kZsh = R"(#compdef muster
# zsh completion for muster: source <(muster completion zsh)
_muster_runs() {{
  compadd -- last $(command muster ps --all 2>/dev/null | sed 1d | cut -d' ' -f1)
}}
_muster() {{
  if ((CURRENT == 2)); then
    compadd -- {commands}
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
    completion) compadd -- bash zsh ;;
{fronts}  esac
}}
compdef _muster muster
)";

std::string zsh() {
  return fmt::format(fmt::runtime(kZsh), fmt::arg("commands", command_names()),
                     fmt::arg("fronts", zsh_fronts()));
}

}  // namespace

base::Result<std::string> completion(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  return base::fail(base::Fault::usage, "write: muster completion bash, or zsh",
                    "no completion for the shell {}", spec::in_quotes(shell));
}

}  // namespace muster::cli
