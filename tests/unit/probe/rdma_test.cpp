// A made-up folder of adapters.
#include <filesystem>
#include <gtest/gtest.h>

#include "probe/probe.hpp"

namespace muster::probe {
namespace {

TEST(Rdma, is_there_when_the_kernel_lists_an_adapter) {
  std::string folder = testing::TempDir() + "infiniband-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EXPECT_FALSE(has_rdma(folder));
  std::filesystem::create_directory(folder + "/mlx5_0");
  EXPECT_TRUE(has_rdma(folder));
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(has_rdma(folder));
}

}  // namespace
}  // namespace muster::probe
