// Each device of a bus has a file local_cpulist, which is that of its NUMA node.
#include "probe/near_devices.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "probe/device_names.hpp"
#include "probe/devices.hpp"
#include "probe/driver_files.hpp"
#include "probe/numa.hpp"
#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

// The folder of an accelerator in /sys, by what it is claimed as; empty: nobody knows which.
std::string folder_of_claim(std::string_view claim) {
  constexpr std::pair<std::string_view, std::string_view> kPlaces[] = {
      {"device-nvidia-", "/sys/bus/pci/devices/"},
      {"device-intel-", "/sys/bus/pci/devices/"},
      {"device-amd-", "/sys/class/drm/"}};
  for (const auto& [maker, place] : kPlaces) {
    if (!claim.starts_with(maker)) continue;
    const std::string_view name = claim.substr(maker.size());
    const bool is_node = maker == "device-amd-";
    return fmt::format("{}{}{}", place, name.substr(0, name.find('/')), is_node ? "/device" : "");
  }
  return {};
}

class NearDevices {
 public:
  NearDevices(std::string root, const model::CpuSet& machine)
      : root_(std::move(root)), machine_(machine), has_one_node_(numa_nodes(root_).size() <= 1) {}

  void add(std::string name, std::string_view kind, const std::string& folder) {
    const bool is_odd = name.empty() || name.find_first_of(" \t\n") != std::string::npos;
    if (is_odd || found_.size() == model::kNearDevicesMax) return;
    found_.push_back({std::move(name), std::string(kind), cpus_near(folder)});
  }

  // Those of a class of /sys that lie on a bus.
  void add_class(std::string_view kind) {
    const std::string folder = fmt::format("/sys/class/{}", kind);
    std::vector<std::string> devices = names_in(root_ + folder);
    std::ranges::sort(devices);
    for (std::string& device : devices) {
      const std::string place = place_on_bus(fmt::format("{}/{}/device", folder, device));
      if (!place.empty()) add(std::move(device), kind, place);
    }
  }

  [[nodiscard]] std::vector<model::NearDevice> take() { return std::move(found_); }

 private:
  // Drivers such as virtio's have a device of their own on top of the bus's.
  [[nodiscard]] std::string place_on_bus(const std::string& device) const {
    for (const char* above : {"", "/.."}) {
      if (!read_text(root_ + device + above + "/local_cpulist").empty()) return device + above;
    }
    return {};
  }

  // Of a device that is on no node, the kernel lists all cpus.
  [[nodiscard]] model::CpuSet cpus_near(const std::string& folder) const {
    if (has_one_node_) return machine_;
    if (folder.empty() || read_text(root_ + folder + "/numa_node").starts_with("-")) return {};
    std::string list = read_text(root_ + folder + "/local_cpulist");
    list.resize(list.find_last_not_of(" \t\n") + 1);
    return model::parse_cpu_set(list).value_or(model::CpuSet()) & machine_;
  }

  std::string root_;
  const model::CpuSet& machine_;
  bool has_one_node_;
  std::vector<model::NearDevice> found_;
};

}  // namespace

std::vector<model::NearDevice> near_devices(std::span<const std::string> environment,
                                            const model::CpuSet& machine, const std::string& root) {
  NearDevices near(root, machine);
  const std::vector<model::Devices> accelerators = devices(root, environment);
  if (!accelerators.empty()) {
    const DeviceNames names(root);
    for (const model::Devices& maker : accelerators) {
      for (const std::string& id : maker.ids) {
        near.add(id, maker.variable, folder_of_claim(names.claim_of(maker.variable, id)));
      }
    }
  }
  near.add_class(model::kNetwork);
  near.add_class(model::kInfiniBand);
  return near.take();
}

}  // namespace muster::probe
