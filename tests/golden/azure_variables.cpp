// What job files are checked against is what ranks are given.
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "job/unset_variables.hpp"
#include "plan/variable_table.hpp"

namespace muster {
namespace {

TEST(AzureVariables, AreThoseThatRanksAreGiven) {
  std::set<std::string_view> given = {"AZUREML_MPI_HOSTFILE"};  // made on the host
  for (const plan::Word& word : plan::variable_table()) {
    if (word.dialect == "Azure ML") given.insert(word.name);
  }
  const std::set<std::string_view> told(std::begin(job::kAzureVariables),
                                        std::end(job::kAzureVariables));
  EXPECT_EQ(told, given);
  EXPECT_TRUE(std::ranges::is_sorted(job::kAzureVariables));
}

}  // namespace
}  // namespace muster
