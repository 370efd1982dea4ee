// Which variables ranks are not given.
#include "spec/environment_rule.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "model/environment_rule.hpp"

namespace muster::spec {
namespace {

using Names = std::vector<std::string>;

TEST(Unset, is_a_name_or_how_names_begin) {
  for (const char* text : {"LOCAL_RANK", "NCCL_*", "P*", "_", "a.b"}) {
    EXPECT_EQ(read_unset(text).value_or("?"), text);
  }
  for (const char* text : {"", "*", "A=", "=", "A*B", "A**", "PMI_FD", "PMIX_*", "MUSTER_JOB"}) {
    const auto read = read_unset(text);
    ASSERT_FALSE(read) << text;
    EXPECT_FALSE(read.error().hint.empty()) << text;
  }
}

TEST(Dialects, are_left_out_by_naming_them_or_all_others) {
  const Names all = *read_dialects("none");
  EXPECT_EQ(*read_dialects("all"), Names());
  EXPECT_EQ(*read_dialects("^jax,mlflow"), (Names{"jax", "mlflow"}));
  Names others = *read_dialects("torch,mpich");
  EXPECT_EQ(others.size() + 2, all.size());
  EXPECT_EQ(std::ranges::count(others, "torch") + std::ranges::count(others, "mpich"), 0);
  for (const std::string& one : all) {
    EXPECT_EQ(*read_dialects("^" + one), Names{one});
    EXPECT_EQ(read_dialects(one)->size() + 1, all.size());
  }
}

TEST(Dialects, that_nobody_knows_are_refused) {
  EXPECT_EQ(read_dialects("tensorflo").error().hint, "did you mean tensorflow?");
  for (const char* text : {"", "^", ",", "torch,none", "^all", "Torch"}) {
    EXPECT_FALSE(read_dialects(text)) << text;
  }
}

// As they are listed in the options' help.
TEST(Dialects, have_titles) {
  const model::EnvironmentRule rule = {{}, Names{"torch"}};
  EXPECT_TRUE(model::is_silent(rule, "torch") && model::is_silent(rule, "torchrun"));
  EXPECT_FALSE(model::is_silent(rule, "JAX"));
  EXPECT_FALSE(model::is_silent({}, "torch"));
  EXPECT_FALSE(model::is_silent({{}, *read_dialects("none")}, "threads"));
}

}  // namespace
}  // namespace muster::spec
