// Errors as people see them: place, what, hint.
#include "base/error.hpp"

#include <gtest/gtest.h>

namespace muster::base {
namespace {

TEST(Error, SaysWhereWhatAndWhatToDo) {
  EXPECT_EQ(
      to_string(Error{Fault::bad_file, "slots must be 1 or more", "slots=8", {"hosts", 3, 7}}),
      "hosts:3:7: slots must be 1 or more\n  hint: slots=8");
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

}  // namespace
}  // namespace muster::base
