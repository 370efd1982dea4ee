// Counts accelerators by the files that their drivers make.
#include "probe/devices.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

#include "probe/driver_files.hpp"
#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

using model::Devices;

// A container sees all GPUs of the host in /proc, but only its own in /dev.
std::size_t count_nvidia(const DriverFiles& files) {
  const std::size_t usable = files.count("nvidia");
  return usable > 0 ? usable : names_in(files.root + "/proc/driver/nvidia/gpus").size();
}

std::size_t count_amd(const DriverFiles& files) { return amd_nodes(files).size(); }
std::size_t count_intel(const DriverFiles& files) { return intel_renderers(files).size(); }
std::size_t count_ascend(const DriverFiles& files) { return files.count("davinci"); }

// A variable that is set to nothing allows no device; one that is not set allows all.
std::optional<std::string> set_value(std::span<const std::string> environment,
                                     std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

// CUDA's rule, which the others follow: the list ends at the first entry that is no device.
std::vector<std::string> listed(const std::string& value) {
  std::vector<std::string> ids;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t comma = std::min(value.find(',', at), value.size());
    std::string id = value.substr(at, comma - at);
    if (id.empty() || id.starts_with("-") || id == "NoDevFiles") break;
    ids.push_back(std::move(id));
    at = comma + 1;
  }
  return ids;
}

constexpr std::string_view kGiven = "NVIDIA_VISIBLE_DEVICES";

// The parts of GPUs that a container has been given, where they are all that it has: its /dev has
// the file of the whole.
std::vector<std::string> parts_given(std::span<const std::string> environment) {
  std::vector<std::string> ids = listed(set_value(environment, kGiven).value_or(""));
  const bool are_parts =
      std::ranges::all_of(ids, [](const std::string& id) { return id.starts_with("MIG-"); });
  if (!are_parts) ids.clear();
  return ids;
}

std::vector<std::string> numbered(std::size_t count) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(std::to_string(i));
  return ids;
}

struct Maker {
  std::size_t (*count)(const DriverFiles& files);
  std::vector<std::string> variables;  // the first is ours to set when none is set
};

}  // namespace

std::vector<Devices> devices(const std::string& root, std::span<const std::string> environment) {
  const Maker makers[] = {
      {count_nvidia, {"CUDA_VISIBLE_DEVICES"}},
      // HIP numbers what ROCR leaves: the one that the user limits by is the one to divide.
      {count_amd, {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}},
      {count_intel, {"ZE_AFFINITY_MASK"}},
      {count_ascend, {"ASCEND_RT_VISIBLE_DEVICES"}},
  };
  const DriverFiles files{root};
  std::vector<Devices> all;
  for (const Maker& maker : makers) {
    Devices one{maker.variables.front(), {}};
    bool limited = false;
    for (const std::string& variable : maker.variables) {
      const auto value = set_value(environment, variable);
      if (!value) continue;
      limited = true;
      one = {variable, listed(*value)};
    }
    if (!limited) one.ids = numbered(maker.count(files));
    if (!limited && !one.ids.empty() && maker.count == count_nvidia) {
      std::vector<std::string> parts = parts_given(environment);
      if (!parts.empty()) one.ids = std::move(parts);
    }
    if (!one.ids.empty()) all.push_back(std::move(one));
  }
  return all;
}

Devices most_devices(std::span<const std::string> environment, std::string_view variable) {
  Devices most;
  // Who numbers devices sees one part of a GPU, however many the container has.
  std::vector<std::string> numbers(environment.begin(), environment.end());
  std::erase_if(numbers, [](const std::string& entry) {
    return entry.starts_with(kGiven) && entry.substr(kGiven.size()).starts_with('=');
  });
  for (Devices& one : devices("", numbers)) {
    const bool counts = variable.empty() || one.variable == variable;
    if (counts && one.ids.size() > most.ids.size()) most = std::move(one);
  }
  return most;
}

std::string gpu_model(const std::string& root) {
  const std::string gpus = root + "/proc/driver/nvidia/gpus";
  std::string common;
  for (const std::string& bus : names_in(gpus)) {
    const std::string text = read_text(fmt::format("{}/{}/information", gpus, bus));
    const std::string model = said_of(text, "Model:");
    if (model.empty() || (!common.empty() && model != common)) return {};
    common = model;
  }
  return common;
}

}  // namespace muster::probe
