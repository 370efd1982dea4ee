// Output shared by all commands: text, and an error with its exit code.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muster::cli {

// Writes the result of a command to stdout. Returns the exit code of a command that has nothing
// else to do: 0; 248, after an error message, when it could not be written; 141 when stdout has no
// reader.
[[nodiscard]] int print(std::string_view text);

// Writes a message beside the result to stderr. False when it could not be written, which cannot be
// reported anywhere.
bool say(std::string_view text);

// Prints the error to stderr, with colours on a terminal; returns its exit code.
[[nodiscard]] int complain(const base::Error& error);

// The first that is not 0.
[[nodiscard]] constexpr int first_code(int code, int later) { return code != 0 ? code : later; }

}  // namespace muster::cli
