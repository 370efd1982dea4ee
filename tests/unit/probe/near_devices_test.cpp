// Devices and the cpus near them, in made-up trees of /dev, /proc and /sys.
#include "probe/near_devices.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "model/topology_text.hpp"
#include "unit/folder.hpp"

namespace muster::probe {
namespace {

namespace fs = std::filesystem;

class NearDevicesIn : public ::testing::Test {
 protected:
  NearDevicesIn() {
    node("0", "0-3");
    node("1", "4-7");
    file("sys/devices/system/node/online", "0-1\n");
  }
  void file(const std::string& path, const std::string& text) {
    const fs::path at = fs::path(folder_.path()) / path;
    fs::create_directories(at.parent_path());
    std::ofstream(at) << text;
  }
  void node(const std::string& number, const std::string& cpus) {
    file("sys/devices/system/node/node" + number + "/cpulist", cpus + "\n");
  }
  void place(const std::string& folder, const std::string& node, const std::string& cpus) {
    file(folder + "/numa_node", node + "\n");
    file(folder + "/local_cpulist", cpus + "\n");
  }
  void nvidia(const std::string& bus, const std::string& minor) {
    file("dev/nvidia" + minor, "");
    file("proc/driver/nvidia/gpus/" + bus + "/information",
         "Model: X\nGPU UUID:\tGPU-" + minor + "a\nDevice Minor:\t" + minor + "\n");
  }
  // "CUDA_VISIBLE_DEVICES=0 at 0-3; net=eth0 at -".
  [[nodiscard]] std::string found(const std::vector<std::string>& environment = {}) const {
    std::string text;
    for (const model::NearDevice& one : near_devices(environment, topology_, folder_.path())) {
      if (!text.empty()) text += "; ";
      text += one.kind + "=";
      text += one.name + " at " + (one.cpus.empty() ? "-" : model::to_string(one.cpus));
      for (const std::uint32_t distance : one.distances) text += fmt::format(" {}", distance);
    }
    return text;
  }

  unit::Folder folder_;
  model::Topology topology_ = model::decode_topology(
                                  "topology 1\nallowed 0-7\nnuma 0-3 4-7\n"
                                  "machine 0-7\nmemory 1 1\n")
                                  .value();
};

TEST_F(NearDevicesIn, nvidias_by_the_order_of_their_bus) {
  nvidia("0000:06:00.0", "1");
  nvidia("0000:0a:00.0", "0");
  place("sys/bus/pci/devices/0000:06:00.0", "1", "4-7,12-15");
  place("sys/bus/pci/devices/0000:0a:00.0", "0", "0-3");
  EXPECT_EQ(found(), "CUDA_VISIBLE_DEVICES=0 at 4-7; CUDA_VISIBLE_DEVICES=1 at 0-3");
  EXPECT_EQ(found({"CUDA_VISIBLE_DEVICES=GPU-0a,0"}),
            "CUDA_VISIBLE_DEVICES=GPU-0a at 0-3; CUDA_VISIBLE_DEVICES=0 at 4-7");
}

TEST_F(NearDevicesIn, amds_by_their_render_nodes) {
  const std::string nodes = "sys/class/kfd/kfd/topology/nodes/";
  file(nodes + "0/gpu_id", "0\n");
  file(nodes + "1/gpu_id", "1234\n");
  file(nodes + "1/properties", "drm_render_minor 129\n");
  place("sys/class/drm/renderD129/device", "1", "4-7");
  EXPECT_EQ(found(), "ROCR_VISIBLE_DEVICES=0 at 4-7");
}

TEST_F(NearDevicesIn, network_devices_by_name_unless_they_are_on_no_bus) {
  place("sys/class/net/eth1/device", "1", "4-7");
  place("sys/class/net/eth0/device", "-1", "0-7");
  file("sys/class/net/lo/mtu", "65536\n");
  place("sys/class/infiniband/mlx5_0/device", "0", "0-3");
  place("sys/devices/pci0/dev7", "1", "4-7");
  file("sys/devices/pci0/dev7/virtio3/vendor", "0x1af4\n");
  fs::create_directories(folder_.path() + "/sys/class/net/eth2");
  fs::create_symlink("../../../devices/pci0/dev7/virtio3",
                     folder_.path() + "/sys/class/net/eth2/device");
  EXPECT_EQ(found(), "net=eth0 at -; net=eth1 at 4-7; net=eth2 at 4-7; infiniband=mlx5_0 at 0-3");
}

TEST_F(NearDevicesIn, a_device_that_the_kernel_cannot_place_is_near_nothing) {
  nvidia("0000:06:00.0", "0");
  EXPECT_EQ(found(), "CUDA_VISIBLE_DEVICES=0 at -");
  place("sys/bus/pci/devices/0000:06:00.0", "-1", "0-7");
  EXPECT_EQ(found(), "CUDA_VISIBLE_DEVICES=0 at -");
}

TEST_F(NearDevicesIn, distances_are_those_of_its_node_to_the_topologys) {
  place("sys/class/net/eth0/device", "3", "4-7");
  node("1", "");
  node("3", "4-7");
  file("sys/devices/system/node/online", "0-1,3\n");
  file("sys/devices/system/node/node3/distance", "32 21 10\n");
  EXPECT_EQ(found(), "net=eth0 at 4-7 32 10");
  file("sys/devices/system/node/node3/distance", "32 far 10\n");
  EXPECT_EQ(found(), "net=eth0 at 4-7 32 10") << "of a node that does not matter";
  file("sys/devices/system/node/node3/distance", "32 21\n");
  EXPECT_EQ(found(), "net=eth0 at 4-7") << "a row that is too short";
}

TEST_F(NearDevicesIn, distances_hold_where_a_cgroup_leaves_a_part_of_the_cpus) {
  topology_ = model::decode_topology(
                  "topology 1\nallowed 1,4\nnuma 1 4 -\nmachine 1,4\n"
                  "memory 1 1 1\n")
                  .value();
  place("sys/class/net/eth0/device", "1", "4-7");
  file("sys/devices/system/node/node1/distance", "21 10\n");
  EXPECT_EQ(found(), "net=eth0 at 4 21 10 255") << "the last has memory alone";
}

TEST_F(NearDevicesIn, memory_does_not_tell_what_is_near) {
  nvidia("0000:06:00.0", "0");
  place("sys/bus/pci/devices/0000:06:00.0", "1", "4-7");
  for (const char* nodes : {"0\n", "0-1\n"}) {
    file("sys/devices/system/node/has_memory", nodes);
    file("proc/self/status", "Mems_allowed_list:\t0\n");
    EXPECT_EQ(found(), "CUDA_VISIBLE_DEVICES=0 at 4-7") << nodes;
  }
}

TEST_F(NearDevicesIn, where_one_node_has_all_cpus_they_are_all_near) {
  node("0", "0-7");
  node("1", "");
  nvidia("0000:06:00.0", "0");
  place("sys/bus/pci/devices/0000:06:00.0", "-1", "0-7");
  place("sys/class/net/eth0/device", "1", "");
  file("sys/devices/system/node/node1/distance", "20 10\n");
  EXPECT_EQ(found(), "CUDA_VISIBLE_DEVICES=0 at 0-7; net=eth0 at 0-7") << "and no distance counts";
}

}  // namespace
}  // namespace muster::probe
