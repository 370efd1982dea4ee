// What every command says in the same way: text, and a complaint with its exit code.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"

namespace muster::cli {

// Writes to our stdout: what was asked for. Returns the exit code of a command that has no more to
// do: 0; 248, after a complaint, when it could not be written; 141 when nobody reads it.
[[nodiscard]] int print(std::string_view text);

// Writes to our stderr: what is said besides. False when it could not be written: there is nobody
// to tell.
bool say(std::string_view text);

// Prints the error to stderr, with colours on a terminal; returns its exit code.
[[nodiscard]] int complain(const base::Error& error);

// The first that is not 0.
[[nodiscard]] constexpr int first_code(int code, int later) { return code != 0 ? code : later; }

}  // namespace muster::cli
