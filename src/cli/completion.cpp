// Writes completion scripts. Both complete options up to the program, then what the shell itself
// would complete for that program.
#include "cli/completion.hpp"

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "spec/quoted.hpp"

namespace muster::cli {
namespace {

std::string joined(const Option& option, std::string_view separator) {
  std::string all;
  for (const std::string_view name : option.names) {
    if (name.empty()) break;
    if (!all.empty()) all += separator;
    all += name;
  }
  return all;
}

std::string command_names() {
  std::string names;
  for (const Command& command : commands()) names += std::string(command.name) + " ";
  names.pop_back();
  return names;
}

std::string bash_action(const Option& option) {
  switch (option.takes) {
    case Takes::file:
      return R"(compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")))";
    case Takes::folder:
      return R"(compopt -o filenames; COMPREPLY=($(compgen -d -- "$word")))";
    case Takes::choice:
      return fmt::format(R"(COMPREPLY=($(compgen -W '{}' -- "$word")))", option.choices);
    default:
      return "COMPREPLY=()";
  }
}

// One branch of a `case` for each option that takes a value.
std::string bash_values() {
  std::string branches;
  for (const Option& option : run_options()) {
    if (option.takes == Takes::nothing) continue;
    branches += fmt::format("    {}) {}; return ;;\n", joined(option, "|"), bash_action(option));
  }
  return branches;
}

std::string taking_names() {
  std::string names;
  for (const Option& option : run_options()) {
    if (option.takes != Takes::nothing) names += (names.empty() ? "" : "|") + joined(option, "|");
  }
  return names;
}

std::string all_names() {
  std::string names;
  for (const Option& option : run_options()) {
    names += (names.empty() ? "" : " ") + joined(option, " ");
  }
  return names;
}

// Bash splits words at '=', so --opt=value arrives as three words.
constexpr std::string_view kBash = R"(# bash completion for muster: source <(muster completion bash)
_muster() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} at=2 before
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{commands}' -- "$word"))
    return
  fi
  if [[ ${{COMP_WORDS[1]}} == completion ]]; then
    COMPREPLY=($(compgen -W 'bash zsh' -- "$word"))
    return
  fi
  [[ ${{COMP_WORDS[1]}} == run ]] || return
  # The program's own words are completed as for the program alone.
  while ((at < COMP_CWORD)); do
    case ${{COMP_WORDS[at]}} in
      --) at=$((at + 1)); break ;;
      {taking})
        at=$((at + 2))
        [[ ${{COMP_WORDS[at - 1]}} == = ]] && at=$((at + 1)) ;;
      -*) at=$((at + 1)) ;;
      *) break ;;
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
  case $before in
{values}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W '{names}' -- "$word"))
  else
    COMPREPLY=($(compgen -c -- "$word"))
  fi
}}
complete -F _muster muster
)";

std::string bash() {
  return fmt::format(fmt::runtime(kBash), fmt::arg("commands", command_names()),
                     fmt::arg("taking", taking_names()), fmt::arg("values", bash_values()),
                     fmt::arg("names", all_names()));
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

std::string zsh_value(const Option& option) {
  const std::string word = zsh_text(option.argument);
  switch (option.takes) {
    case Takes::nothing:
      return "";
    case Takes::file:
      return ":" + word + ":_files";
    case Takes::folder:
      return ":" + word + ":_files -/";
    case Takes::choice:
      return fmt::format(":{}:({})", word, option.choices);
    default:
      return ":" + word + ": ";
  }
}

// Names that begin with -- also take =VALUE; -n, -H and -x take a glued value.
std::string zsh_name(const Option& option, std::string_view name) {
  if (option.takes == Takes::nothing) return std::string(name);
  if (name.starts_with("--")) return std::string(name) + "=";
  return std::string(name) + (name.size() == 2 ? "+" : "");
}

std::string zsh_options() {
  std::string lines;
  for (const Option& option : run_options()) {
    // Either repeatable, or shutting out its other spellings and itself.
    const std::string others = option.repeatable ? "*" : "(" + joined(option, " ") + ")";
    for (const std::string_view name : option.names) {
      if (name.empty()) break;
      lines += fmt::format("    '{}{}[{}]{}' \\\n", others, zsh_name(option, name),
                           zsh_text(option.help), zsh_value(option));
    }
  }
  return lines;
}

constexpr std::string_view kZsh = R"(#compdef muster
# zsh completion for muster: source <(muster completion zsh)
_muster() {{
  if ((CURRENT == 2)); then
    compadd -- {commands}
    return
  fi
  case $words[2] in
    completion) compadd -- bash zsh; return ;;
    run) ;;
    *) return ;;
  esac
  shift words
  ((CURRENT--))
  _arguments -S \
{options}    '(-):program: _command_names -e' \
    '*::arguments: _normal'
}}
compdef _muster muster
)";

std::string zsh() {
  return fmt::format(fmt::runtime(kZsh), fmt::arg("commands", command_names()),
                     fmt::arg("options", zsh_options()));
}

}  // namespace

base::Result<std::string> completion(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  return base::fail(base::Fault::usage, "write: muster completion bash, or zsh",
                    "no completion for the shell {}", spec::quoted(shell));
}

}  // namespace muster::cli
