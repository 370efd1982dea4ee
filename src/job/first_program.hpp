// first_program: what a shell's text starts first, and the script in its words. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/shell_reader.hpp"

namespace muster::job {

struct FirstProgram {
  std::vector<std::string> words;
  std::string folder;  // into which the text has gone before; relative, or empty
};

// The first command that may make files. Nothing where it is not sure that the shell comes to it,
// or that its failure counts.
[[nodiscard]] std::optional<FirstProgram> first_program(std::string_view text,
                                                        const ValueOf& value_of);

// The path of the script that Python or a shell is called with, or of the program itself where it
// is called by one. Only a relative path; nothing else is sure to be in the job's folder.
[[nodiscard]] std::optional<std::string> script_in(std::span<const std::string> words);

// By the name of a program.
[[nodiscard]] bool is_shell(std::string_view name);

struct ShellScript {
  std::string path;    // as it is called; relative
  std::string folder;  // into which the text has gone before; relative, or empty
};

// The scripts that commands of the text call for a shell to read, "bash run.sh" or "./run.sh", as
// far as it is sure in which folder.
[[nodiscard]] std::vector<ShellScript> shell_scripts(std::string_view text,
                                                     const ValueOf& value_of);

}  // namespace muster::job
