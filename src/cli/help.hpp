// The commands of muster and the help text that lists them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

struct Command {
  std::string_view name;
  std::string_view help;
};

// What people may type after "muster"; drives its help and completion.
[[nodiscard]] std::vector<Command> commands();

// In groups, what most people need first.
[[nodiscard]] std::string main_help(std::size_t width);

}  // namespace muster::cli
