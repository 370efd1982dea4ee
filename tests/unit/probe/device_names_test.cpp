// By what devices are claimed, in made-up trees of /dev, /proc and /sys.
#include "probe/device_names.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace muster::probe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCuda = "CUDA_VISIBLE_DEVICES";
constexpr const char* kRocr = "ROCR_VISIBLE_DEVICES";
constexpr const char* kLevelZero = "ZE_AFFINITY_MASK";
constexpr const char* kAscend = "ASCEND_RT_VISIBLE_DEVICES";

class NamesIn : public ::testing::Test {
 protected:
  NamesIn() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) /
            (std::string("device-names-") + test->name() + std::to_string(::getpid()));
    fs::create_directories(root_);
  }
  ~NamesIn() override { fs::remove_all(root_); }
  NamesIn(const NamesIn&) = delete;
  NamesIn& operator=(const NamesIn&) = delete;

  void file(const std::string& path, const std::string& text = "") {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void gpu(const std::string& bus, const std::string& uuid, int minor) {
    file("proc/driver/nvidia/gpus/" + bus + "/information",
         "Model: \t\t NVIDIA H200\nGPU UUID: \t " + uuid + "\nDevice Minor: \t " +
             std::to_string(minor) + "\nGPU Excluded:\t No\n");
  }
  void in_mig_mode(int minor, bool with_parts = true) {
    const std::string folder = fmt::format("proc/driver/nvidia/capabilities/gpu{}/mig/", minor);
    fs::create_directories(root_ / folder);
    if (with_parts) file(folder + "gi1/ci0/access", "DeviceFileMinor: 12\n");
  }
  void amd_node(int number, int gpu_id, std::uint64_t unique, int renderer) {
    const std::string folder = fmt::format("sys/class/kfd/kfd/topology/nodes/{}/", number);
    file(folder + "gpu_id", std::to_string(gpu_id) + "\n");
    file(folder + "properties", fmt::format("simd_count 440\nlocation_id 768\ndomain 0\n"
                                            "drm_render_minor {}\nunique_id {}\n",
                                            renderer, unique));
  }
  void intel(int renderer, const std::string& bus, const std::string& vendor = "0x8086") {
    const std::string name = "renderD" + std::to_string(renderer);
    file("dev/dri/" + name);
    file("sys/class/drm/" + name + "/device/vendor", vendor + "\n");
    file("sys/class/drm/" + name + "/device/uevent",
         "DRIVER=xe\nPCI_CLASS=38000\nPCI_SLOT_NAME=" + bus + "\nMODALIAS=pci:v00008086\n");
  }
  [[nodiscard]] std::string name(std::string_view variable, std::string_view id) const {
    return DeviceNames(root_.string(), listing_).claim_of(variable, id);
  }

  fs::path root_;
  std::string listing_;  // of nvidia-smi -L
};

TEST_F(NamesIn, an_index_and_a_uuid_are_the_same_gpu) {
  gpu("0000:81:00.0", "GPU-bbbb-2", 0);
  gpu("0000:06:00.0", "GPU-aaaa-1", 1);
  for (const char* id : {"0", "GPU-aaaa-1", "GPU-aa"}) {
    EXPECT_EQ(name(kCuda, id), "device-nvidia-0000:06:00.0") << id;
  }
  EXPECT_EQ(name(kCuda, "1"), "device-nvidia-0000:81:00.0");
  EXPECT_EQ(name(kCuda, "2"), "device-nvidia-2");
}

TEST_F(NamesIn, a_part_has_the_name_of_its_gpu) {
  gpu("0000:81:00.0", "GPU-bbbb-2", 0);
  gpu("0000:06:00.0", "GPU-aaaa-1", 1);
  EXPECT_EQ(name(kCuda, "MIG-GPU-aaaa-1/7/0"), "device-nvidia-0000:06:00.0/7/0");
  EXPECT_EQ(name(kCuda, "MIG-GPU-cccc-3/7/0"), "device-nvidia-GPU-cccc-3/7/0");
}

TEST_F(NamesIn, a_part_of_a_new_driver_is_of_the_only_gpu_that_has_parts) {
  gpu("0000:06:00.0", "GPU-aaaa-1", 1);
  gpu("0000:81:00.0", "GPU-bbbb-2", 0);
  in_mig_mode(0);
  in_mig_mode(1, false);
  EXPECT_EQ(name(kCuda, "MIG-1234-5678"), "device-nvidia-0000:81:00.0/MIG-1234-5678");
  in_mig_mode(1);
  EXPECT_EQ(name(kCuda, "MIG-1234-5678"), "device-nvidia-MIG-1234-5678") << "of which is unknown";
}

TEST_F(NamesIn, of_several_gpus_that_have_parts_the_drivers_tool_tells_whose_one_is) {
  gpu("0000:06:00.0", "GPU-aaaa-1", 0);
  gpu("0000:81:00.0", "GPU-bbbb-2", 1);
  in_mig_mode(0);
  in_mig_mode(1);
  listing_ =
      "GPU 0: NVIDIA H200 (UUID: GPU-aaaa-1)\n"
      "  MIG 1g.18gb     Device  0: (UUID: MIG-1234-0001)\n"
      "GPU 1: NVIDIA H200 (UUID: GPU-bbbb-2)\n"
      "  MIG 1g.18gb     Device  0: (UUID: MIG-5678-0002)\n";
  EXPECT_EQ(name(kCuda, "MIG-1234-0001"), "device-nvidia-0000:06:00.0/MIG-1234-0001");
  EXPECT_EQ(name(kCuda, "MIG-5678-0002"), "device-nvidia-0000:81:00.0/MIG-5678-0002");
  EXPECT_EQ(name(kCuda, "MIG-9999-0003"), "device-nvidia-MIG-9999-0003");
}

TEST_F(NamesIn, the_tool_is_needed_for_parts_of_several_gpus_alone) {
  const auto needs = [&](const std::string& id) {
    const std::vector<model::Devices> one = {{kCuda, {"0", id}}};
    return needs_listing(one, root_.string());
  };
  gpu("0000:06:00.0", "GPU-aaaa-1", 0);
  gpu("0000:81:00.0", "GPU-bbbb-2", 1);
  in_mig_mode(0);
  EXPECT_FALSE(needs("MIG-1234-0001"));
  in_mig_mode(1);
  EXPECT_TRUE(needs("MIG-1234-0001"));
  EXPECT_FALSE(needs("MIG-GPU-aaaa-1/7/0"));
  EXPECT_FALSE(needs("1"));
  EXPECT_FALSE(needs_listing({}, root_.string()));
}

TEST_F(NamesIn, containers_number_those_that_they_have_been_given) {
  gpu("0000:06:00.0", "GPU-a", 0);
  gpu("0000:81:00.0", "GPU-b", 1);
  file("dev/nvidia1");
  EXPECT_EQ(name(kCuda, "0"), "device-nvidia-0000:81:00.0");
}

TEST_F(NamesIn, an_index_in_a_batch_job_is_of_that_job) {
  gpu("0000:06:00.0", "GPU-a", 0);
  const std::pair<const char*, const char*> kGroups[] = {
      {"0::/system.slice/slurmstepd.scope/job_4711/step_0/user/task_0\n", "job_4711"},
      {"5:devices:/slurm/uid_0/job_7\n1:cpu:/\n", "job_7"},
      {"0::/pbs_jobs.service/jobid/12.head\n", "job_12.head"},
      {"0::/lsf/cluster/job.5.17/x\n", "job_5.17"}};
  for (const auto& [group, job] : kGroups) {
    file("proc/self/cgroup", group);
    EXPECT_EQ(name(kCuda, "0"), std::string("device-nvidia-") + job + "-0");
    EXPECT_EQ(name(kLevelZero, "0.1"), std::string("device-intel-") + job + "-0/1");
    EXPECT_EQ(name(kCuda, "GPU-a"), "device-nvidia-0000:06:00.0");
  }
  file("proc/self/cgroup", "0::/user.slice/user-0.slice/session-4.scope\n");
  EXPECT_EQ(name(kCuda, "0"), "device-nvidia-0000:06:00.0");
}

TEST_F(NamesIn, amds_have_their_render_node_by_index_and_by_uuid) {
  amd_node(0, 0, 0, 0);  // a processor
  amd_node(10, 4711, 0xabcdef0123456789, 136);
  amd_node(2, 4712, 0x1, 128);
  for (const char* variable : {kRocr, "HIP_VISIBLE_DEVICES"}) {
    EXPECT_EQ(name(variable, "0"), "device-amd-renderD128");
    EXPECT_EQ(name(variable, "1"), "device-amd-renderD136");
  }
  EXPECT_EQ(name(kRocr, "GPU-abcdef0123456789"), "device-amd-renderD136");
  EXPECT_EQ(name(kRocr, "GPU-ABCDEF0123456789"), "device-amd-renderD136");
  EXPECT_EQ(name(kRocr, "GPU-0000000000000001"), "device-amd-renderD128");
  EXPECT_EQ(name(kRocr, "GPU-7"), "device-amd-GPU-7");
  EXPECT_EQ(name(kRocr, "2"), "device-amd-2");
}

TEST_F(NamesIn, amds_that_are_kept_from_a_container_do_not_count) {
  amd_node(1, 4711, 7, 128);
  amd_node(2, 4712, 8, 129);
  file("sys/class/kfd/kfd/topology/nodes/1/gpu_id");
  EXPECT_EQ(name(kRocr, "0"), "device-amd-renderD129");
}

TEST_F(NamesIn, intels_have_their_bus_and_tiles_are_parts) {
  intel(129, "0000:b3:00.0");
  intel(128, "0000:4d:00.0");
  intel(130, "0000:c3:00.0", "0x1002");
  EXPECT_EQ(name(kLevelZero, "0"), "device-intel-0000:4d:00.0");
  EXPECT_EQ(name(kLevelZero, "1.0"), "device-intel-0000:b3:00.0/0");
  EXPECT_EQ(name(kLevelZero, "2"), "device-intel-2");
  EXPECT_EQ(name(kLevelZero, "2.1"), "device-intel-2/1");
}

TEST_F(NamesIn, ascends_have_their_file_which_containers_do_not_number_anew) {
  for (const char* file_name : {"davinci6", "davinci10", "davinci_manager"}) {
    file(std::string("dev/") + file_name);
  }
  EXPECT_EQ(name(kAscend, "0"), "device-ascend-davinci6");
  EXPECT_EQ(name(kAscend, "1"), "device-ascend-davinci10");
  EXPECT_EQ(name(kAscend, "2"), "device-ascend-2");
}

TEST_F(NamesIn, anything_else_is_made_fit_for_a_socket) {
  const std::string odd = name(kCuda, "a\n b@" + std::string(200, 'x'));
  EXPECT_TRUE(odd.starts_with("device-nvidia-a__b_xxx")) << odd;
  EXPECT_LT(odd.size(), 80U);
}

}  // namespace
}  // namespace muster::probe
