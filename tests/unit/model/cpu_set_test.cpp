// Sets of cpus and their text, and the text of topologies.
#include "model/cpu_set.hpp"

#include <gtest/gtest.h>

#include "model/topology_text.hpp"

namespace muster::model {
namespace {

TEST(CpuSet, is_read_and_written) {
  for (const char* text : {"0", "0-3,8", "1,3,5", "63-64", "16383"}) {
    const auto set = parse_cpu_set(text);
    ASSERT_TRUE(set) << text;
    EXPECT_EQ(to_string(*set), text);
  }
  EXPECT_EQ(to_string(*parse_cpu_set("3,1,2,1-1")), "1-3");
  EXPECT_EQ(*parse_cpu_list("3,1,2,1-1"), std::vector<std::uint32_t>({3, 1, 2}));
}

TEST(CpuSet, refuses_what_is_no_list) {
  for (const char* text : {"", ",", "1,", "-1", "1-", "3-1", "a", "1 2", "1--2", "99999999999"}) {
    const auto set = parse_cpu_set(text);
    ASSERT_FALSE(set) << text;
    EXPECT_EQ(set.error().what, fmt::format("'{}' is not a list of cpus", text));
  }
  EXPECT_EQ(parse_cpu_set("0-16384").error().what, "there is no cpu 16384; 16383 is the highest");
}

TEST(CpuSet, equals_another_with_the_same_cpus_however_it_was_made) {
  CpuSet set = CpuSet::range(60, 70);
  set.remove(70);
  set -= CpuSet::range(61, 69);
  EXPECT_EQ(set, CpuSet::of(60));
  EXPECT_EQ(set & CpuSet::of(61), CpuSet());
  EXPECT_TRUE(CpuSet().within(set));
  EXPECT_FALSE(CpuSet::of(100).within(set));
  EXPECT_FALSE(CpuSet::of(100).meets(set));
}

TEST(TopologyText, devices_come_back) {
  Topology topology =
      *decode_topology("topology 1\nallowed 0-3\nnuma 0-1 2-3\nmachine 0-3\nmemory 1 1\n");
  topology.devices = {{"0", "CUDA_VISIBLE_DEVICES", CpuSet::range(0, 1)},
                      {"eth0", "net", CpuSet()},
                      {"mlx5_0", "infiniband", CpuSet::of(3), {21, 10}}};
  const auto read = decode_topology(encode(topology));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, topology);
}

TEST(TopologyText, refuses_what_no_machine_is) {
  const std::string head = "topology 1\n";
  EXPECT_TRUE(decode_topology(head + "allowed 0\nmachine 0-1\n"));
  for (const char* text :
       {"", "allowed 0\n", "machine 0\n", "allowed 2\nmachine 0-1\n", "allowed -\nmachine 0\n",
        "allowed 0\nmachine 0 1\n", "allowed 0\nmachine 0\ncore 1\n",
        "allowed 0\nmachine 0\ncore -\n", "allowed 0\nmachine 0\nnuma 0\n",
        "allowed 0\nmachine 0\nnuma 0\nmemory x\n", "allowed 0\nmachine 0\nshelf 0\n",
        "allowed 0 0\nmachine 0\n", "allowed 0-x\nmachine 0\n",
        "allowed 0\nmachine 0\ndevice eth0 net 1\n", "allowed 0\nmachine 0\ndevice eth0 0\n",
        "allowed 0\nmachine 0\ndevice eth0 net 0 10\n"}) {
    EXPECT_FALSE(decode_topology(head + text)) << text;
  }
  EXPECT_FALSE(decode_topology("topology 2\nallowed 0\nmachine 0\n"));
  EXPECT_FALSE(decode_topology(std::string(2 << 20, ' ')));
}

}  // namespace
}  // namespace muster::model
