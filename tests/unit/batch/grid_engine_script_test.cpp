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

}  // namespace
}  // namespace muster::batch::grid_engine_script_test
