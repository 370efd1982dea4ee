// Lists the commands: the front ends, then what muster itself knows.
#include "cli/help.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "base/columns.hpp"
#include "base/words.hpp"
#include "cli/own_verbs.hpp"
#include "front/front.hpp"

namespace muster::cli {

namespace {

struct Group {
  std::string_view title;
  std::string_view names;  // commands that no group names are below the last title
};

constexpr Group kGroups[] = {
    {"Start a job", "run submit"},
    {"Runs on record", "ps show logs wait stop report rerun rm gc graph reindex"},
    {"Job files", "validate explain export schema"},
    {"As other launchers do", "mpirun mpiexec.hydra torchrun launch deepspeed horovodrun"},
    {"More", ""}};

bool is_in(const Group& group, std::string_view name) {
  const std::vector<std::string> names = base::split(group.names, " ");
  if (!names.empty()) return std::ranges::find(names, name) != names.end();
  return std::ranges::none_of(std::span(kGroups).first(std::size(kGroups) - 1),
                              [&](const Group& other) { return is_in(other, name); });
}

}  // namespace

std::vector<Command> commands() {
  std::vector<Command> all;
  for (const front::Front& front : front::fronts()) {
    all.push_back({front.names.substr(0, front.names.find(' ')), front.help});
  }
  for (const front::Front& verb : own_verbs()) all.push_back({verb.names, verb.help});
  return all;
}

std::string main_help(std::size_t width) {
  constexpr std::size_t kNames = 24;
  const std::vector<Command> all = commands();
  std::string out = base::folded(
      "muster launches distributed jobs: one program, many ranks, one or many machines.", 0, width);
  out += '\n';
  for (const Group& group : kGroups) {
    out += fmt::format("\n{}:\n", group.title);
    for (const Command& command : all) {
      if (!is_in(group, command.name)) continue;
      const std::string usage = fmt::format("  muster {}", command.name);
      out += base::padded(usage, kNames) + base::folded(command.help, kNames, width) + '\n';
    }
  }
  return out +
         "\nExamples:\n"
         "  muster run -n 4 python3 train.py\n"
         "  muster help run\n";
}

}  // namespace muster::cli
