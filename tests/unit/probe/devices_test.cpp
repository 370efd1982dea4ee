// Devices in made-up trees of /dev, /proc and /sys.
#include "probe/devices.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::probe {
namespace {

namespace fs = std::filesystem;

class DevicesIn : public ::testing::Test {
 protected:
  DevicesIn() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) /
            (std::string("devices-") + test->name() + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  ~DevicesIn() override { fs::remove_all(root_); }

  void file(const std::string& path, const std::string& text = "") {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  [[nodiscard]] std::string found(const std::vector<std::string>& environment = {}) const {
    std::string text;
    for (const model::Devices& one : devices(root_.string(), environment)) {
      text += one.variable + "=";
      for (const std::string& id : one.ids) text += id + ",";
      text += " ";
    }
    return text;
  }

  fs::path root_;
};

TEST_F(DevicesIn, an_empty_tree_are_none) { EXPECT_EQ(found(), ""); }

TEST_F(DevicesIn, nvidias_folder_are_counted_without_its_other_nodes) {
  for (const char* name : {"nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm"}) {
    file(std::string("dev/") + name);
  }
  file("proc/driver/nvidia/gpus/0000:01:00.0/information");
  EXPECT_EQ(found(), "CUDA_VISIBLE_DEVICES=0,1,2, ");
}

TEST_F(DevicesIn, proc_count_where_dev_has_none) {
  file("proc/driver/nvidia/gpus/0000:01:00.0/information");
  EXPECT_EQ(found(), "CUDA_VISIBLE_DEVICES=0, ");
}

TEST_F(DevicesIn, every_makers_place_are_told_apart) {
  file("sys/class/kfd/kfd/topology/nodes/0/gpu_id", "0\n");
  file("sys/class/kfd/kfd/topology/nodes/1/gpu_id", "4711\n");
  file("dev/dri/renderD128");
  file("sys/class/drm/renderD128/device/vendor", "0x8086\n");
  file("dev/dri/renderD129");
  file("sys/class/drm/renderD129/device/vendor", "0x1002\n");
  file("dev/davinci0");
  file("dev/davinci_manager");
  EXPECT_EQ(found(), "ROCR_VISIBLE_DEVICES=0, ZE_AFFINITY_MASK=0, ASCEND_RT_VISIBLE_DEVICES=0, ");
}

TEST_F(DevicesIn, parts_that_a_container_was_given_are_dealt_out) {
  EXPECT_EQ(found({"NVIDIA_VISIBLE_DEVICES=MIG-a"}), "") << "no GPU is there";
  file("dev/nvidia0");
  EXPECT_EQ(found({"NVIDIA_VISIBLE_DEVICES=MIG-a,MIG-b"}), "CUDA_VISIBLE_DEVICES=MIG-a,MIG-b, ");
  for (const char* other : {"all", "0", "GPU-a,MIG-b", "none", ""}) {
    EXPECT_EQ(found({std::string("NVIDIA_VISIBLE_DEVICES=") + other}), "CUDA_VISIBLE_DEVICES=0, ");
  }
  EXPECT_EQ(found({"CUDA_VISIBLE_DEVICES=0", "NVIDIA_VISIBLE_DEVICES=MIG-a,MIG-b"}),
            "CUDA_VISIBLE_DEVICES=0, ");
}

TEST_F(DevicesIn, our_own_limit_are_what_is_shared) {
  for (int i = 0; i < 8; ++i) file("dev/nvidia" + std::to_string(i));
  EXPECT_EQ(found({"CUDA_VISIBLE_DEVICES=4,GPU-8f,6"}), "CUDA_VISIBLE_DEVICES=4,GPU-8f,6, ");
  EXPECT_EQ(found({"CUDA_VISIBLE_DEVICES=4,-1,6"}), "CUDA_VISIBLE_DEVICES=4, ");
  EXPECT_EQ(found({"CUDA_VISIBLE_DEVICES="}), "");
  EXPECT_EQ(found({"HIP_VISIBLE_DEVICES=1,2"}),
            "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7, HIP_VISIBLE_DEVICES=1,2, ");
}

class GpuModelIn : public DevicesIn {
 protected:
  // Its file as the driver writes it.
  void gpu(const std::string& bus, const std::string& model) {
    file("proc/driver/nvidia/gpus/" + bus + "/information",
         "Model: \t\t " + model + "\nIRQ:   \t\t 41\nGPU UUID: \t GPU-5ee46aaa\n");
  }
  [[nodiscard]] std::string model() const { return gpu_model(root_.string()); }
};

TEST_F(GpuModelIn, a_machine_without_any_is_empty) { EXPECT_EQ(model(), ""); }

TEST_F(GpuModelIn, several_of_a_kind_is_theirs) {
  gpu("0000:00:06.0", "NVIDIA H100 80GB HBM3");
  gpu("0000:00:07.0", "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(model(), "NVIDIA H100 80GB HBM3");
}

TEST_F(GpuModelIn, different_ones_is_empty) {
  gpu("0000:00:06.0", "NVIDIA H200");
  gpu("0000:00:07.0", "NVIDIA L4");
  EXPECT_EQ(model(), "");
}

TEST_F(GpuModelIn, a_file_without_it_is_empty) {
  gpu("0000:00:06.0", "NVIDIA H200");
  file("proc/driver/nvidia/gpus/0000:00:07.0/information", "IRQ: 41\nModel:");
  EXPECT_EQ(model(), "");
}

}  // namespace
}  // namespace muster::probe
