// Writes the help texts, below 100 columns; the options come from their table.
#include "cli/help.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "cli/options.hpp"

namespace muster::cli {
namespace {

constexpr std::size_t kWidth = 96;
constexpr std::size_t kTextColumn = 31;

constexpr Command kCommands[] = {
    {"run", "[OPTIONS] PROGRAM [ARGS]", "Start a job, on this machine or on many."},
    {"completion", "bash|zsh", "Print the completion script of a shell."},
    {"help", "", "Show this help; `muster run --help` has all options."},
    {"version", "", "Show the version."},
};

constexpr std::string_view kRunHead =
    R"(muster run: start one program many times, as the ranks of one job, on one machine or on many.

Usage: muster run [OPTIONS] PROGRAM [ARGS...]
Options end at PROGRAM; all words after it are the program's own.

Examples:
  Four ranks on this machine:
    muster run -n 4 python3 train.py --epochs 2
  Eight ranks on each of two hosts, over ssh:
    muster run -H node1:8,node2:8 python3 train.py
  Hosts from a file, one more variable, and each line of output with its rank:
    muster run --hostfile hosts -x NCCL_DEBUG=INFO --tag python3 train.py
  A rehearsal of a job on four hosts, on this machine alone:
    muster run --fake-nodes 4 -n 8 python3 train.py
  See which rank would run where, and with which environment, and start nothing:
    muster run --dry-run --env -H node1:8,node2:8 python3 train.py
)";

constexpr std::string_view kExitCodes = R"(
Exit codes:
  0        every rank ended with 0
  1..255   the code of the rank that failed first
  128+N    that rank, or muster itself, got signal N
  240      words that make no sense               244  program or folder missing on a host
  241      bad hostfile or other input file       245  a host died or fell silent
  242      more ranks than slots                  246  time limit reached (--timeout)
  243      a host cannot be reached               247  a fault of muster or of this machine
)";

// Appends `text`, which starts at `column`, broken between words; later lines are indented.
void append_wrapped(std::string& out, std::string_view text, std::size_t column) {
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    if (column > kTextColumn && column + 1 + blank > kWidth) {
      out += '\n' + std::string(kTextColumn, ' ');
      column = kTextColumn;
    } else if (column > kTextColumn) {
      out += ' ';
      column += 1;
    }
    out += text.substr(0, blank);
    column += blank;
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  out += '\n';
}

void append_option(std::string& out, const Option& option) {
  std::string line = "  " + joined_names(option);
  if (!option.argument.empty()) line += " " + std::string(option.argument);
  if (line.size() + 2 > kTextColumn) {
    out += line + '\n';
    line.clear();
  }
  out += line + std::string(kTextColumn - line.size(), ' ');
  append_wrapped(out, option.help, kTextColumn);
}

void append_group(std::string& out, Group group) {
  out += fmt::format("\n{}:\n", title(group));
  for (const Option& option : run_options()) {
    if (option.group == group) append_option(out, option);
  }
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

std::string main_help() {
  std::string out =
      "muster starts distributed jobs: one program, many ranks, one machine or many.\n"
      "\nCommands:\n";
  for (const Command& command : kCommands) {
    const std::string usage = fmt::format("muster {} {}", command.name, command.argument);
    out += fmt::format("  {:<38}{}\n", usage, command.help);
  }
  return out + "\nFirst steps:\n  muster run -n 4 python3 train.py\n  muster run --help\n";
}

std::string run_help() {
  std::string out(kRunHead);
  for (std::size_t group = 0; group < kGroups; ++group) {
    append_group(out, static_cast<Group>(group));
  }
  return out + std::string(kExitCodes);
}

}  // namespace muster::cli
