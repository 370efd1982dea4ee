// The list of commands.
#include "cli/help.hpp"

#include <gtest/gtest.h>
#include <sstream>

#include "front/front.hpp"

namespace muster::cli {
namespace {

TEST(Help, ListsEveryCommand) {
  for (const Command& command : commands()) {
    EXPECT_NE(main_help(80).find("\n  muster " + std::string(command.name) + " "),
              std::string::npos)
        << command.name;
  }
  EXPECT_EQ(commands().size(), front::fronts().size() + 3);
}

TEST(Help, HasBlanksBetweenACommandAndItsText) {
  for (const Command& command : commands()) {
    EXPECT_NE(main_help(80).find("  " + std::string(command.help)), std::string::npos)
        << command.name;
  }
}

TEST(Help, FitsTheScreen) {
  for (const std::size_t width : {80U, 60U}) {
    std::istringstream lines(main_help(width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
}

}  // namespace
}  // namespace muster::cli
