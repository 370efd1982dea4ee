// Topologies as hwloc sees them: recorded machines against their golden text, and this one.
#include "helper/topology.hpp"

#include <gtest/gtest.h>

#include "golden/golden.hpp"
#include "helper/hwloc_library.hpp"
#include "model/topology_text.hpp"

namespace muster::helper {
namespace {

using model::Level;

std::string recorded(const std::string& name) {
  return std::string(MUSTER_SOURCE_DIR) + "/tests/data/topologies/" + name + ".xml";
}

class RecordedTopology : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedTopology, is_read_and_survives_the_wire) {
  const auto topology = read_recorded_topology(recorded(GetParam()));
  ASSERT_TRUE(topology) << base::to_string(topology.error());
  const auto again = model::decode_topology(model::encode(*topology));
  ASSERT_TRUE(again) << base::to_string(again.error());
  EXPECT_EQ(*topology, *again);
  golden::expect_golden(std::string("topology/") + GetParam() + ".txt", model::encode(*topology));
}

INSTANTIATE_TEST_SUITE_P(Machines, RecordedTopology,
                         ::testing::Values("two_sockets", "one_core", "many_l3", "four_numa",
                                           "no_cpu_numa", "no_cpu_package", "restricted"),
                         [](const auto& machine) { return std::string(machine.param); });

TEST(Topology, of_this_machine_agrees_with_the_affinity_mask) {
  const auto topology = read_topology();
  ASSERT_TRUE(topology) << base::to_string(topology.error());
  EXPECT_GE(topology->allowed.count(), 1U);
  EXPECT_EQ(topology->at(Level::machine).size(), 1U);
  EXPECT_FALSE(topology->at(Level::hwthread).empty());
}

TEST(Topology, of_a_file_that_is_none) {
  const auto topology = read_recorded_topology(recorded("absent"));
  ASSERT_FALSE(topology);
  EXPECT_EQ(topology.error().fault, base::Fault::bad_file);
  EXPECT_EQ(topology.error().place.source, recorded("absent"));
}

TEST(Topology, without_hwloc_names_the_package) {
  const auto library = load_hwloc("libhwloc.so.none");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().fault, base::Fault::cannot_start);
  EXPECT_NE(library.error().hint.find("apt-get install libhwloc15"), std::string::npos);
}

}  // namespace
}  // namespace muster::helper
