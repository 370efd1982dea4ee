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

// Of these the ones of the maker with the most; or those that `variable` limits. There may be none.
[[nodiscard]] model::Devices most_devices(std::span<const std::string> environment,
                                          std::string_view variable = {});

// What NVIDIA's driver calls the GPUs of this machine: "NVIDIA H200". Empty where it has none, or
// where they differ.
[[nodiscard]] std::string gpu_model(const std::string& root = "");

}  // namespace muster::probe
