// launcher_words: the command line of a launcher in a shell's text. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/shell_reader.hpp"

namespace muster::job {

// Whether a command may still begin after such a word: NAME=VALUE, `time`, `exec`, `if` ...
[[nodiscard]] bool precedes_command(std::string_view word);

struct LauncherWords {
  std::vector<std::string> words;  // empty when no launcher is called
  // The shell comes to this command, or fails before: in front of it are only commands that neither
  // decide what is done next nor change what the launcher's name and words mean.
  bool is_sure = false;
  std::size_t at = 0;  // where the launcher's word begins
  // It finds the variables that the text found: nothing in front of it sets any.
  bool keeps_variables = false;
  // The text goes on where it fails: "|| echo failed", but for "|| exit 1".
  bool may_fail = false;
};

// The words of the first command that calls one of the launchers, as a shell would make them of
// quotes and variables, but for redirections. What only a shell can tell ($(...), globs,
// variables that `value_of` does not know) stays as it is written.
[[nodiscard]] LauncherWords launcher_words(std::string_view text,
                                           std::span<const std::string> launchers,
                                           const ValueOf& value_of);

// How often the text holds a launcher's word before it is called.
[[nodiscard]] std::size_t times_before(std::string_view text, const LauncherWords& launcher);

// Of each command that calls one of the launchers.
[[nodiscard]] std::vector<LauncherWords> all_launcher_words(std::string_view text,
                                                            std::span<const std::string> launchers,
                                                            const ValueOf& value_of);

}  // namespace muster::job
