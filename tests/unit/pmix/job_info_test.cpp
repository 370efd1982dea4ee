// The mapping in the words of PMI-1, the variables of a rank, and a library that is not there.
#include "pmix/job_info.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "pmix/environment.hpp"

namespace muster::pmix {
namespace {

std::string map_of(std::vector<std::vector<std::uint32_t>> ranks) {
  Job job;
  for (auto& local : ranks) job.nodes.push_back({"", std::move(local)});
  return anl_map(job);
}

TEST(AnlMap, SaysBlocksOfEqualSizeOnce) {
  EXPECT_EQ(map_of({{0}}), "(vector,(0,1,1))");
  EXPECT_EQ(map_of({{0, 1}, {2, 3}}), "(vector,(0,2,2))");
  EXPECT_EQ(map_of({{0, 1, 2}, {3}}), "(vector,(0,1,3),(1,1,1))");
  EXPECT_EQ(map_of({{0, 1}, {}, {2, 3}}), "(vector,(0,1,2),(2,1,2))");
}

TEST(AnlMap, IsUnknownWhenRanksGoRoundTheNodes) { EXPECT_EQ(map_of({{0, 2}, {1, 3}}), ""); }

std::string value_of(const Variables& variables, const std::string& name) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == variables.end() ? "(unset)" : found->second;
}

TEST(ClientVariables, PointAtTheListener) {
  const ClientIdentity client{"first", "second", 3, 1, "hostb", "/dev/shm/x", 4711, false};
  const Variables variables = client_variables(client);
  EXPECT_EQ(value_of(variables, "PMIX_NAMESPACE"), "second");
  EXPECT_EQ(value_of(variables, "PMIX_RANK"), "3");
  EXPECT_EQ(value_of(variables, "PMIX_HOSTNAME"), "hostb");
  for (const char* name : {"PMIX_SERVER_URI41", "PMIX_SERVER_URI4", "PMIX_SERVER_URI3",
                           "PMIX_SERVER_URI21", "PMIX_SERVER_URI2"}) {
    EXPECT_EQ(value_of(variables, name), "first-server.1;tcp4://127.0.0.1:4711");
  }
}

TEST(OpenMpiVariables, YieldOnlyWhenCrowded) {
  ClientIdentity client{"a", "a", 0, 0, "h", "/dev/shm/x", 4711, false};
  EXPECT_EQ(value_of(open_mpi_variables(client), "OMPI_MCA_mpi_oversubscribe"), "0");
  client.crowded = true;
  EXPECT_EQ(value_of(open_mpi_variables(client), "OMPI_MCA_mpi_oversubscribe"), "1");
  EXPECT_EQ(value_of(open_mpi_variables(client), "OMPI_MCA_btl_vader_backing_directory"),
            "/dev/shm/x");
}

TEST(LoadLibrary, SaysWhatToInstall) {
  const auto library = load_library("libpmix-that-is-not-there.so.2");
  ASSERT_FALSE(library);
  EXPECT_NE(library.error().what.find("libpmix-that-is-not-there"), std::string::npos);
  EXPECT_NE(library.error().hint.find("libpmix2"), std::string::npos);
}

}  // namespace
}  // namespace muster::pmix
