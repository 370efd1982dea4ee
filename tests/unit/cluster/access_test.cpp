// The table of kubectl auth can-i --list.
#include "cluster/access.hpp"

#include <gtest/gtest.h>

namespace muster::cluster {
namespace {

TEST(Access, IsReadFromTheTable) {
  const std::string table =
      "selfsubjectaccessreviews.authorization.k8s.io   []                  []     [create]\n"
      "jobs.batch                                      []                  []     [create get list "
      "watch delete]\n"
      "pods                                            []                  []     [get list]\n"
      "secrets                                         []                  [one]  [create get list "
      "delete]\n"
      "                                                [/api/*]            []     [get]\n";
  const auto missing = missing_rights(table, {{"jobs.batch", "create"},
                                              {"pods", "get"},
                                              {"pods", "create"},
                                              {"secrets", "get"},
                                              {"pods/exec", "create"}});
  EXPECT_EQ(missing,
            (std::vector<Right>{{"pods", "create"}, {"secrets", "get"}, {"pods/exec", "create"}}));
}

TEST(Access, OfAnAdminIsComplete) {
  EXPECT_TRUE(missing_rights("*.*  []  []  [*]\n", needed_rights(true)).empty());
}

TEST(Access, ExecIsForWhatIsPushed) {
  EXPECT_EQ(needed_rights(true).size(), needed_rights(false).size() + 1);
}

TEST(Access, OfNobodyIsNone) {
  EXPECT_EQ(missing_rights("", needed_rights(true)), needed_rights(true));
  EXPECT_EQ(missing_rights("no table ] [", {{"pods", "get"}}).size(), 1U);
}

}  // namespace
}  // namespace muster::cluster
