// Writes completion scripts. All complete options up to the program; bash and zsh then complete
// what they would for that program.
#include "cli/completion.hpp"

#include <algorithm>

#include "base/shell_word.hpp"
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
      return "_muster_complete_files -f";
    case Takes::folder:
      return "_muster_complete_files -d";
    case Takes::choice:
      return fmt::format(R"(COMPREPLY=($(compgen -W '{}' -- "$word")))", option.traits.choices);
    case Takes::hosts:
      return "_muster_complete_hosts";
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
enum class Rest : std::uint8_t { program, file, run, nothing, scheduler };

constexpr std::string_view kSchedulers = "kubernetes slurm grid_engine crontab";

Rest rest_of(const Front& front) {
  if (front.argument.find("RUN") != std::string_view::npos) return Rest::run;
  if (front.argument.find("SCHEDULER") != std::string_view::npos) return Rest::scheduler;
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

// Names in ssh's files and in those that its configuration includes, for a POSIX shell: neither
// patterns nor hashed ones, nor addresses with ':', nor what a shell would not take as it is.
constexpr std::string_view kHosts = R"(cd ~/.ssh 2>/dev/null || exit 0
{ { cat config
    sed -n 's/^[[:space:]]*[Ii][Nn][Cc][Ll][Uu][Dd][Ee][[:space:]=]\{1,\}//p' config |
      tr -d '"' | tr ' \t' '\n\n' |
      while read -r file; do
        case $file in '~/'*) file=$HOME/${file#??} ;; esac
        for one in $file; do [ -f "$one" ] && cat -- "$one"; done
      done
  } | sed -n 's/^[[:space:]]*[Hh][Oo][Ss][Tt][[:space:]=]\{1,\}//p' | tr ' \t' '\n\n'
  cut -d' ' -f1 known_hosts | tr ',' '\n' | sed 's/^\[\(.*\)\]:[0-9]*$/\1/'
} 2>/dev/null | grep -x '[[:alnum:]_.-]\{1,\}' | sort -u)";

// For any shell that knows a POSIX shell's quotes.
std::string hosts_command() { return "sh -c " + base::shell_word(kHosts); }

// Bash splits words at '=' and '@', so --opt=value and user@host arrive as three words; what is
// offered then stands for the third.
constexpr std::string_view kBash =
    R"shell(# bash completion for muster: source <(muster completion bash)
_muster_count() {{
  case $1:$2 in
{counts}    *) count=0 ;;
  esac
}}
# The newest runs and what their jobs are called, written as in the word that has been begun. Bash
# splits it at ':', '=' and '@', and puts what is offered in the place of its last part.
_muster_complete_runs() {{
  local run quote= at=$COMP_CWORD begun=${{COMP_WORDS[COMP_CWORD]}} lead=
  [[ $begun == [:=@]* ]] && lead=$begun begun=
  while ((at > 2)) && [[ ${{COMP_WORDS[at]}} == [:=@]* || ${{COMP_WORDS[at - 1]}} == [:=@]* ]]; do
    at=$((at - 1))
    lead=${{COMP_WORDS[at]}}$lead
  done
  case $begun in
    \'* | \"*) quote=${{begun:0:1}} begun=${{begun:1}} ;;
  esac
  begun=$lead$begun
  begun=${{begun//\\/}} lead=${{lead//\\/}}
  while IFS=$'\t' read -r run _; do
    [[ $run == "$begun"* ]] || continue
    run=${{run#"$lead"}}
    # What would end the quotes, or be run in them, is not offered there.
    case $quote in
      \') [[ $run == *\'* ]] && continue ;;
      \") [[ $run == *[\"\\\$\`!]* ]] && continue ;;
      *) printf -v run %q "$run" ;;
    esac
    COMPREPLY+=("$run")
  done < <(echo last; command muster completion runs 2>/dev/null)
}}
# Those that ssh knows by name.
_muster_hosts() {{
  {hosts}
}}
# The last one of a list, behind its user.
_muster_complete_hosts() {{
  local begun=${{word##*[,@]}}
  COMPREPLY=($(compgen -P "${{word%"$begun"}}" -W "$(_muster_hosts)" -- "$begun"))
  compopt -o nospace
}}
# Files, or folders alone: one a line, which bash quotes as the word has been begun. What it puts in
# the place of the word is of its last part, behind ':', '=' and '@'.
_muster_complete_files() {{
  local IFS=$'\n' name begun=$word
  case $begun in
    \'*) begun=${{begun:1}} ;;
    \"*) begun=${{begun:1}} begun=${{begun//\\/}} ;;
    *) begun=${{begun//\\/}} ;;
  esac
  compopt -o filenames
  while read -r name; do COMPREPLY+=("$name"); done < <(compgen "$1" -- "$begun")
}}
_muster() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} at=2 given=0 back before command names count rest
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{commands}' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
    completion) COMPREPLY=($(compgen -W 'bash zsh fish' -- "$word")); return ;;
    help) COMPREPLY=($(compgen -W '{commands}' -- "$word")); return ;;
{fronts}    *) return ;;
  esac
  # The program's own words are completed as for the program alone.
  while ((at < COMP_CWORD)); do
    case ${{COMP_WORDS[at]}} in
      --) at=$((at + 1)); break ;;
      -*)
        _muster_count "$command" "${{COMP_WORDS[at]}}"
        at=$((at + 1 + count))
        ((count == 1)) && [[ ${{COMP_WORDS[at - 1]}} == = ]] && at=$((at + 1))
        while [[ ${{COMP_WORDS[at]}} == @ ]]; do at=$((at + 2)); done ;;
      *) ((rest)) || break; at=$((at + 1)) given=$((given + 1)) ;;
    esac
  done
  if ((at < COMP_CWORD)); then
    if declare -F _command_offset >/dev/null; then _command_offset "$at"
    else compopt -o default; fi
    return
  fi
  back=$((COMP_CWORD - 1))
  [[ $word == @ ]] && word= back=$COMP_CWORD
  while [[ ${{COMP_WORDS[back]}} == @ ]]; do back=$((back - 2)); done
  [[ ${{COMP_WORDS[back]}} == = ]] && back=$((back - 1))
  before=${{COMP_WORDS[back]}}
  [[ $word == = ]] && word=
  case $command:$before in
{values}  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$names" -- "$word"))
    return
  fi
  case $rest in
    0) COMPREPLY=($(compgen -c -- "$word")) ;;
    1) _muster_complete_files -f ;;
    2) _muster_complete_runs ;;
    4)
      if ((given == 0)); then
        COMPREPLY=($(compgen -W '{schedulers}' -- "$word"))
      else _muster_complete_files -f; fi ;;
  esac
}}
complete -F _muster muster
)shell";

std::string bash() {
  return fmt::format(fmt::runtime(kBash), fmt::arg("commands", command_names()),
                     fmt::arg("fronts", bash_fronts()), fmt::arg("counts", bash_counts()),
                     fmt::arg("values", bash_values()), fmt::arg("hosts", hosts_command()),
                     fmt::arg("schedulers", kSchedulers));
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
      return fmt::format(":{}:({})", word, zsh_text(option.traits.choices));
    case Takes::hosts:
      return ":" + word + ":_muster_hosts";
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
    case Rest::scheduler:
      return "        '1:scheduler:_muster_schedulers' \\\n"
             "        '*:file:_files' ;;\n";
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

constexpr std::string_view kZsh = R"shell(#compdef muster
# zsh completion for muster: source <(muster completion zsh)
# The newest runs, with what their jobs are called.
_muster_runs() {{
  local -a runs
  runs=(${{(f)"$(command muster completion runs 2>/dev/null)"}})
  runs=(last ${{${{${{runs//\\/\\\\}}//:/\\:}}/$'\t'/:}})
  _describe run runs
}}
# Those that ssh knows by name, each behind its user.
_muster_host() {{
  local -a hosts
  hosts=(${{(f)"$({hosts})"}})
  compset -P '*@'
  compadd "$@" -a hosts
}}
_muster_hosts() {{
  _sequence _muster_host
}}
_muster_schedulers() {{
  compadd -- {schedulers}
}}
_muster() {{
  if ((CURRENT == 2)); then
    compadd -- {commands}
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
    completion) compadd -- bash zsh fish ;;
    help) compadd -- {commands} ;;
{fronts}  esac
}}
compdef _muster muster
)shell";

std::string zsh() {
  return fmt::format(fmt::runtime(kZsh), fmt::arg("commands", command_names()),
                     fmt::arg("fronts", zsh_fronts()), fmt::arg("hosts", hosts_command()),
                     fmt::arg("schedulers", kSchedulers));
}

// ---- fish ---------------------------------------------------------------------------------------

// In single quotes, where fish reads \\ and \' only.
std::string fish_text(std::string_view text) {
  std::string safe = "'";
  for (const char c : text) {
    if (c == '\\' || c == '\'') safe += '\\';
    safe += c;
  }
  return safe + "'";
}

// "--ranks", "-n" or "-np", as fish tells them apart.
std::string fish_name(std::string_view name) {
  if (name.starts_with("--")) return fmt::format(" -l {}", fish_text(name.substr(2)));
  return fmt::format(" -{} {}", name.size() == 2 ? 's' : 'o', fish_text(name.substr(1)));
}

std::string fish_value(const OptionText& option) {
  if (count(option) == 0) return "";
  switch (option.takes) {
    case Takes::file:
      return " -rF";
    case Takes::folder:
      return " -xa '(__fish_complete_directories)'";
    case Takes::choice:
      return fmt::format(" -xa {}", fish_text(option.traits.choices));
    case Takes::hosts:
      return " -xa '(__muster_hosts)'";
    default:
      return " -x";
  }
}

std::string fish_line(std::string_view names, std::string_view what) {
  return fmt::format("complete -c muster -n '__muster_is {}'{}\n", names, what);
}

std::string fish_rest(const Front& front) {
  switch (rest_of(front)) {
    case Rest::program:
      return fish_line(front.names, " -fa '(__fish_complete_command)'");
    case Rest::file:
      return fish_line(front.names, " -F");
    case Rest::run:
      return fish_line(front.names, " -fa '(__muster_runs)'");
    case Rest::scheduler:
      return fish_line(fmt::format("{}; and not __muster_names_scheduler", front.names),
                       fmt::format(" -fa '{}'", kSchedulers)) +
             fish_line(fmt::format("{}; and __muster_names_scheduler", front.names), " -F");
    case Rest::nothing:
      break;
  }
  return fish_line(front.names, " -f");
}

std::string fish_fronts() {
  std::string lines;
  for (const Front& front : front::fronts()) {
    lines += fish_rest(front);
    for (const OptionText* option : front.options()) {
      std::string names;
      for (const std::string_view name : front::names_of(*option)) names += fish_name(name);
      names += fish_value(*option) + " -d " + fish_text(option->help);
      lines += fish_line(front.names, names);
    }
  }
  return lines;
}

std::string fish_commands() {
  std::string lines;
  for (const Command& command : commands()) {
    lines += fmt::format("complete -c muster -n __muster_has_none -fa {} -d {}\n", command.name,
                         fish_text(command.help));
  }
  return lines;
}

constexpr std::string_view kFish =
    R"shell(# fish completion for muster: muster completion fish | source
function __muster_has_none
  test (count (commandline -opc)) -eq 1
end
function __muster_is
  set -l words (commandline -opc)
  test (count $words) -gt 1; and contains -- $words[2] $argv
end
function __muster_names_scheduler
  for word in (commandline -opc)
    contains -- $word {schedulers}; and return 0
  end
  return 1
end
# The newest runs, with what their jobs are called.
function __muster_runs
  echo last
  command muster completion runs 2>/dev/null
end
# Those that ssh knows by name, behind those that are typed already.
function __muster_hosts
  set -l typed (commandline -ct | string replace -r '^--?[a-z]+=' '' | string match -r '.*[,@]')
  sh -c {hosts} | string replace -r '^' -- "$typed"
end
complete -c muster -f
complete -c muster -n '__muster_is completion' -fa 'bash zsh fish'
complete -c muster -n '__muster_is help' -fa '{commands}'
{heads}{fronts})shell";

std::string fish() {
  return fmt::format(fmt::runtime(kFish), fmt::arg("commands", command_names()),
                     fmt::arg("heads", fish_commands()), fmt::arg("fronts", fish_fronts()),
                     fmt::arg("hosts", fish_text(kHosts)), fmt::arg("schedulers", kSchedulers));
}

}  // namespace

base::Result<std::string> completion(std::string_view shell) {
  if (shell == "bash") return bash();
  if (shell == "zsh") return zsh();
  if (shell == "fish") return fish();
  return base::fail(base::Fault::usage, "use muster completion bash, zsh or fish",
                    "no completion for the shell {}", spec::in_quotes(shell));
}

}  // namespace muster::cli
