// The help texts: of muster as a whole and of `muster run`.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster::cli {

struct Command {
  std::string_view name;
  std::string_view argument;
  std::string_view help;
};

// What people may type after "muster"; drives its help and completion.
[[nodiscard]] std::span<const Command> commands();

[[nodiscard]] std::string main_help();
[[nodiscard]] std::string run_help();

}  // namespace muster::cli
