// Accelerators of this machine that our ranks may use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/inventory.hpp"

namespace muster::probe {

// NVIDIA, AMD, Intel and Ascend, one entry for each maker with devices. What this process is itself
// limited to by CUDA_VISIBLE_DEVICES and its twins in `environment` stays the limit; else devices
// are counted in /dev, /proc and /sys below `root` ("" is this machine) and numbered from 0.
[[nodiscard]] std::vector<model::Devices> devices(const std::string& root,
                                                  std::span<const std::string> environment);

// By what a device is claimed, however a variable names it: by index, by UUID or by the beginning
// of one. Where a batch system deals devices out to jobs and numbers them anew in each, an index
// means something in this job alone.
class DeviceNames {
 public:
  explicit DeviceNames(const std::string& root = "");

  // "device-nvidia-0000:00:06.0"; "device-amd-2"; of a name that is not known, made of that.
  [[nodiscard]] std::string claim_of(std::string_view variable, std::string_view id) const;

 private:
  struct Gpu {
    std::string bus;   // as its folder in /proc is called
    std::string uuid;  // of question marks where the driver has not been asked yet
  };
  std::vector<Gpu> nvidia_;  // those that are usable here, in the order of their bus
  std::string batch_job_;    // "job_4711"; empty outside of batch jobs
};

// What NVIDIA's driver calls the GPUs of this machine: "NVIDIA H200". Empty where it has none, or
// where they differ.
[[nodiscard]] std::string gpu_model(const std::string& root = "");

}  // namespace muster::probe
