// Errors as people see them: place, what, hint.
#include "base/error.hpp"

#include <gtest/gtest.h>

namespace muster::base {
namespace {

TEST(Error, SaysWhereWhatAndWhatToDo) {
  EXPECT_EQ(
      to_string(Error{Fault::bad_file, "slots must be from 1 to 8", "slots=8", {"hosts", 3, 7}}),
      "hosts:3:7: slots must be from 1 to 8\n  hint: slots=8");
  EXPECT_EQ(to_string(Error{Fault::usage, "no program given", {}, {}}), "no program given");
  EXPECT_EQ(to_string(Place{"-H", 0, 0}), "-H");
  EXPECT_EQ(to_string(Place{"hosts", 3, 0}), "hosts:3");
}

TEST(Error, EachFaultHasItsExitCode) {
  EXPECT_EQ(exit_code(Fault::usage), 240);
  EXPECT_EQ(exit_code(Fault::bad_file), 241);
  EXPECT_EQ(exit_code(Fault::no_slots), 242);
  EXPECT_EQ(exit_code(Fault::unreachable), 243);
  EXPECT_EQ(exit_code(Fault::cannot_start), 244);
  EXPECT_EQ(exit_code(Fault::lost), 245);
  EXPECT_EQ(exit_code(Fault::timeout), 246);
  EXPECT_EQ(exit_code(Fault::internal), 247);
  EXPECT_EQ(exit_code(Fault::output), 248);
}

Error error_with(std::string what, std::string hint) {
  return {Fault::usage, std::move(what), std::move(hint), {}};
}

TEST(Errors, AreToldTogetherAndByTheirHints) {
  Errors errors;
  EXPECT_TRUE(errors.empty());
  for (const char* what : {"a", "b", "a", "c"}) {
    errors.add(error_with(what, what == std::string("b") ? "do this" : "do that"));
  }
  const Error first = std::move(errors).together();
  EXPECT_EQ(first.what, "a");
  ASSERT_EQ(first.also.size(), 2U);
  EXPECT_EQ(first.also[0].what, "c");
  EXPECT_EQ(first.also[1].what, "b");
}

TEST(Errors, BringTheirOthersAlong) {
  Errors inner;
  for (int i = 0; i < 22; ++i) inner.add(error_with(std::to_string(i), ""));
  Errors outer;
  outer.add(error_with("first", ""));
  outer.add(std::move(inner).together());
  const Error first = std::move(outer).together();
  EXPECT_EQ(first.what, "first");
  EXPECT_EQ(first.also.size() + 1, Errors::kTold);
  EXPECT_EQ(first.also.front().what, "0");
  EXPECT_TRUE(first.also.front().also.empty());
  EXPECT_EQ(first.untold, 3U);
}

TEST(Errors, AreCountedBeyondTwenty) {
  Errors errors;
  for (int i = 0; i < 23; ++i) errors.add(error_with(std::to_string(i), ""));
  const Error first = std::move(errors).together();
  EXPECT_EQ(first.also.size() + 1, Errors::kTold);
  EXPECT_EQ(first.untold, 3U);
}

}  // namespace
}  // namespace muster::base
