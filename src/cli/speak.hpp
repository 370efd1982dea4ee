// Output shared by all commands: text, and an error with its exit code.
#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "front/voice.hpp"
#include "view/style.hpp"

namespace muster::cli {

// Writes the result of a command to stdout. Returns the exit code of a command that has nothing
// else to do: 0; 248, after an error message, when it could not be written; 141 when stdout has no
// reader.
[[nodiscard]] int print(std::string_view text);

// Writes a message beside the result to stderr. False when it could not be written, which cannot be
// reported anywhere.
bool say(std::string_view text);

// Prints muster's version; returns as print() does.
[[nodiscard]] int print_version();

// What follows, and what the musters below this one say, is said so.
void speak_as(const front::Voice& voice);

// Whether notes and progress are wanted: not if front::kQuiet is set.
[[nodiscard]] bool is_quiet();

// Write "muster: LINE" to stderr: a note only if notes are wanted.
void note(std::string_view line);
void warn(std::string_view line);

// Whether a line that changes as work goes on can be drawn on stderr, and is wanted.
[[nodiscard]] bool draws_progress();

// Of what is printed to this descriptor.
[[nodiscard]] view::Style style_for(int descriptor);

// Of the terminal that a help text is printed to, within what is readable.
[[nodiscard]] std::size_t help_columns();

// Prints the error to stderr; returns its exit code.
[[nodiscard]] int complain(const base::Error& error);

// The first that is not 0.
[[nodiscard]] constexpr int first_code(int code, int later) { return code != 0 ? code : later; }

}  // namespace muster::cli
