// Follows a shell's text as long as its commands make no files.
#include "job/first_program.hpp"

#include <algorithm>
#include <iterator>

#include "job/launcher_words.hpp"

namespace muster::job {
namespace {

// Commands that neither make files, but folders, nor decide what is done next.
constexpr std::string_view kMakesNoFiles[] = {
    "apt",    "apt-get",  "chmod", "date",  "df",     "du",    "echo",       "export",
    "free",   "hostname", "ls",    "lscpu", "mkdir",  "nproc", "nvidia-smi", "printenv",
    "printf", "pwd",      "set",   "sleep", "ulimit", "umask", "uname"};

template <std::size_t N>
bool is_among(const std::string_view (&known)[N], std::string_view word) {
  return std::ranges::find(known, word) != std::end(known);
}

std::string_view name_of_program(std::string_view word) { return word.substr(word.rfind('/') + 1); }

// What a shell, or a later program, would make something else of.
bool is_left_open(std::string_view word) {
  return word.find_first_of("$`*?[{") != std::string_view::npos || word.starts_with('~');
}

bool is_relative_path(std::string_view word) {
  return !word.empty() && !word.starts_with('/') && !is_left_open(word);
}

// Packages that are put below the current folder may hold scripts.
bool installs_elsewhere(const std::vector<std::string>& words) {
  return words.size() > 1 && words[1] == "install" &&
         std::ranges::none_of(words, [](const std::string& word) {
           return word.starts_with("-t") || word.starts_with("--target") || word == "-e" ||
                  word.starts_with("--editable") || word.starts_with("--src") ||
                  word.starts_with("--prefix") || word.starts_with("--root");
         });
}

bool makes_no_files(const std::vector<std::string>& words, bool is_redirected) {
  if (is_redirected) return false;
  const std::string_view name = words.front();
  if (name == "pip" || name == "pip3") return installs_elsewhere(words);
  return is_among(kMakesNoFiles, name);
}

// NAME=VALUE, or what a program is called through.
bool only_calls(std::string_view word) {
  constexpr std::string_view kCallers[] = {"command", "env", "exec", "nohup", "time"};
  return word.find('=') != std::string_view::npos || is_among(kCallers, word);
}

// ---- scripts ------------------------------------------------------------------------------------

bool is_python(std::string_view name) {
  constexpr std::string_view kPython = "python";
  return name.starts_with(kPython) &&
         name.substr(kPython.size()).find_first_not_of("0123456789.") == std::string_view::npos;
}

// The first word that is not an option. `valued`: letters of options that take a value, which may
// be the next word; `ending`: of those that take the place of a script.
std::optional<std::string> first_operand(std::span<const std::string> words,
                                         std::string_view valued, std::string_view ending) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') && !word.starts_with('+')) return word;
    if (word.size() == 1 || word.starts_with("--")) return std::nullopt;  // input, or not known
    if (word.find_first_of(ending, 1) != std::string::npos) return std::nullopt;
    if (valued.find(word.back()) != std::string_view::npos) ++i;
  }
  return std::nullopt;
}

std::optional<std::string> script_of_shell(std::span<const std::string> words) {
  auto script = first_operand(words, "oO", "cs");
  const bool is_path =  // else PATH is searched, too
      script && (script->find('/') != std::string::npos || script->ends_with(".sh"));
  return is_path ? script : std::nullopt;
}

}  // namespace

bool is_shell(std::string_view name) {
  constexpr std::string_view kShells[] = {"bash", "dash", "ksh", "sh", "zsh"};
  return is_among(kShells, name);
}

std::optional<FirstProgram> first_program(std::string_view text, const ValueOf& value_of) {
  if (text.find("<<") != std::string_view::npos) return std::nullopt;
  FirstProgram found;
  ShellReader reader(text, value_of);
  while (!reader.done()) {
    std::vector<std::string> words = reader.command();
    words.erase(words.begin(), std::ranges::find_if_not(words, only_calls));
    const std::string_view end = reader.ended_by();
    const bool has_other_way = end == "|" && reader.next_is('|');
    if (end == "(" || end == ")" || has_other_way) return std::nullopt;
    if (words.empty()) continue;
    if (words.front() == "cd") {
      const bool is_known = words.size() == 2 && is_relative_path(words[1]) && end != "|";
      if (!is_known) return std::nullopt;
      found.folder += (found.folder.empty() ? "" : "/") + words[1];
      continue;
    }
    if (makes_no_files(words, reader.is_redirected())) continue;
    found.words = std::move(words);
    return found;
  }
  return std::nullopt;
}

std::vector<ShellScript> shell_scripts(std::string_view text, const ValueOf& value_of) {
  std::vector<ShellScript> found;
  std::string folder;
  ShellReader reader(text, value_of);
  while (!reader.done()) {
    std::vector<std::string> words = reader.command();
    words.erase(words.begin(), std::ranges::find_if_not(words, precedes_command));
    if (words.empty()) continue;
    if (words.front() == "cd") {
      if (words.size() != 2 || !is_relative_path(words[1])) break;
      folder += (folder.empty() ? "" : "/") + words[1];
      continue;
    }
    if (is_python(name_of_program(words.front()))) continue;
    if (auto script = script_in(words)) found.push_back({*std::move(script), folder});
  }
  return found;
}

std::optional<std::string> script_in(std::span<const std::string> words) {
  if (words.empty()) return std::nullopt;
  const std::string_view name = name_of_program(words.front());
  std::optional<std::string> script;
  if (is_python(name)) {
    script = first_operand(words.subspan(1), "WX", "cm");
  } else if (is_shell(name)) {
    script = script_of_shell(words.subspan(1));
  } else if (words.front().find('/') != std::string::npos) {
    script = words.front();
  }
  return script && is_relative_path(*script) ? script : std::nullopt;
}

}  // namespace muster::job
