// The commands that only tell of muster itself: completion, help and version. They understand
// --help, --version, --color and --quiet like all others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/cli.hpp"
#include "front/front.hpp"

namespace muster::cli {

// Their names, arguments and options; nothing reads a request from them.
[[nodiscard]] std::span<const front::Front> own_verbs();

// Of the words that begin with "muster VERB", takes the options away, and does what they say; a
// --help or --version without a verb gets its own, `help` or `version`, and -V is --version there.
// Returns an exit code where nothing else is to be done: they asked for the help or the version, or
// were wrong. Nothing also where VERB is no such command.
[[nodiscard]] std::optional<int> read_own_options(Invocation& invocation);

// What --help prints for one of them.
[[nodiscard]] std::string own_help(std::string_view verb);

}  // namespace muster::cli
