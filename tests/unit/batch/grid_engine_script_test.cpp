// Lines of #$, as Grid Engine reads them.
#include "batch/grid_engine_script.hpp"

#include <gtest/gtest.h>

namespace muster::batch::grid_engine_script_test {
namespace {

bool has_line(const std::string& script, const std::string& line) {
  return script.find("\n" + line + "\n") != std::string::npos;
}

std::string named(const std::string& name) {
  Wish wish;
  wish.name = name;
  wish.command = {"muster"};
  return grid_engine_script(wish);
}

TEST(GridEngineScript, HasANameThatQmasterTakes) {
  EXPECT_TRUE(has_line(named("hé"), "#$ -N h_"));
  EXPECT_TRUE(has_line(named("日本 x"), "#$ -N ___x"));
  EXPECT_TRUE(has_line(named("2nd"), "#$ -N _2nd"));
  EXPECT_TRUE(has_line(named("a#b@c'd"), "#$ -N a_b_c_d"));
  EXPECT_TRUE(has_line(named("train-1.b"), "#$ -N train-1.b"));
}

TEST(GridEngineScript, LeavesPathsThatQsubDoesNotUnderstandToTheShell) {
  Wish wish;
  wish.command = {"muster"};
  wish.folder = "/home/ada/it's/a b";
  wish.out = "/runs/a\"b/job.out";
  wish.err = "/runs/job.err";
  const std::string script = grid_engine_script(wish);
  EXPECT_TRUE(has_line(script, "#$ -wd /home/ada")) << script;
  EXPECT_TRUE(has_line(script, "#$ -o /dev/null")) << script;
  EXPECT_TRUE(has_line(script, "#$ -e /runs/job.err")) << script;
  EXPECT_TRUE(has_line(script,
                       "exec >>'/runs/a\"b/job.out'\ncd '/home/ada/it'\\''s/a b' || exit\n"
                       "exec muster"))
      << script;
  wish.folder = "/a#b";
  EXPECT_TRUE(has_line(grid_engine_script(wish), "#$ -wd /"));
  for (const char* good : {"/a b", "/aé", "/a\\b"}) {
    wish.folder = good;
    EXPECT_TRUE(has_line(grid_engine_script(wish), "#$ -wd '" + wish.folder + "'"));
  }
}

}  // namespace
}  // namespace muster::batch::grid_engine_script_test
