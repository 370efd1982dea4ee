// Lists the commands: the front ends, then what muster itself knows.
#include "cli/help.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "front/front.hpp"

namespace muster::cli {

std::vector<Command> commands() {
  std::vector<Command> all;
  for (const front::Front& front : front::fronts()) {
    all.push_back({front.names.substr(0, front.names.find(' ')), front.argument, front.help});
  }
  all.push_back({"completion", "bash|zsh", "Print the completion script of a shell."});
  all.push_back({"help", "[COMMAND]", "Show this help, or that of a command."});
  all.push_back({"version", "", "Show the version."});
  return all;
}

std::string main_help() {
  std::vector<std::pair<std::string, std::string_view>> lines;
  std::size_t width = 0;
  for (const Command& command : commands()) {
    lines.emplace_back(fmt::format("muster {} {}", command.name, command.argument), command.help);
    width = std::max(width, lines.back().first.size());
  }
  std::string out =
      "muster launches distributed jobs: one program, many ranks, one or many machines.\n"
      "\nCommands:\n";
  for (const auto& [usage, help] : lines) out += fmt::format("  {:<{}}  {}\n", usage, width, help);
  return out + "\nExamples:\n  muster run -n 4 python3 train.py\n  muster run --help\n";
}

}  // namespace muster::cli
