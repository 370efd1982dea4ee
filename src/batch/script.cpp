// Lines of a script, and words in them.
#include "batch/script.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/shell_word.hpp"

namespace muster::batch {
namespace {

// What a person wrote may have several lines; each is a comment.
std::string comment(std::string_view line) {
  std::string text = "# ";
  for (const char c : line) text += c == '\n' || c == '\r' ? ' ' : c;
  return text + "\n";
}

// What files that are read in do inside is their own business.
std::string setup_text(const std::vector<std::string>& lines) {
  constexpr std::string_view kBegin = R"(setup_failed() {
  [ ${#BASH_SOURCE[@]} -gt 2 ] && return
  echo "muster: error: setup: \`$3\` (line $2 of the script) ended with exit code $1" >&2
  exit "$1"
}
trap 'setup_failed $? $LINENO "$BASH_COMMAND"' ERR
)";
  if (lines.empty()) return {};
  std::string text(kBegin);
  for (const std::string& line : lines) text += line + "\n";
  return text + "trap - ERR\n";
}

}  // namespace

base::Result<void> check_lines(const Wish& wish) {
  const std::array<std::pair<std::string_view, const std::string*>, 4> lines = {
      {{"the job", &wish.name},
       {"the folder in which it runs", &wish.folder},
       {"the file of its output", &wish.out},
       {"the file of its errors", &wish.err}}};
  for (const auto& [what, value] : lines) {
    if (value->find_first_of("\n\r") == std::string::npos) continue;
    return base::fail(base::Fault::bad_file, "it becomes a line of the script: rename it",
                      "{} has a line break in its name", what);
  }
  return {};
}

std::string script_text(const Wish& wish, std::string_view mark,
                        std::vector<std::string> directives, std::string_view first) {
  std::string text = wish.setup.empty() ? "#!/bin/sh\n" : "#!/bin/bash -l\n";
  for (const std::string& line : wish.about) text += comment(line);
  std::ranges::sort(directives);
  for (const std::string& one : directives) text += fmt::format("{} {}\n", mark, one);
  text += "\n";
  text += first;
  text += setup_text(wish.setup);
  for (const auto& [name, value] : wish.variables) {
    text += fmt::format("export {}={}\n", name, base::shell_word(value));
  }
  return text + "exec " + base::shell_words(wish.command) + "\n";
}

}  // namespace muster::batch
