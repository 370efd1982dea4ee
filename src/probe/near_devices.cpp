// Each device of a bus has a file local_cpulist, which is that of its NUMA node.
#include "probe/near_devices.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "base/words.hpp"
#include "probe/device_names.hpp"
#include "probe/devices.hpp"
#include "probe/driver_files.hpp"
#include "probe/numa.hpp"
#include "probe/text_file.hpp"

namespace muster::probe {
namespace {

// The folder of an accelerator in /sys, by what it is claimed as; empty for unknown makers.
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

// The text of a file without the blanks at its end.
std::string trimmed(const std::string& path) {
  std::string text = read_text(path);
  text.resize(text.find_last_not_of(" \t\n") + 1);
  return text;
}

std::optional<std::uint32_t> number_in(std::string_view word) {
  std::uint32_t value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

class NearDevices {
 public:
  NearDevices(std::string root, const model::Topology& topology)
      : root_(std::move(root)),
        machine_(topology.at(model::Level::machine).front()),
        nodes_(nodes_with_cpus(root_)),
        numbers_(numbers_of(topology.at(model::Level::numa))) {}

  void add(std::string name, std::string_view kind, const std::string& folder) {
    const bool is_odd = name.empty() || name.find_first_of(" \t\n") != std::string::npos;
    if (is_odd || found_.size() == model::kNearDevicesMax) return;
    found_.push_back(
        {std::move(name), std::string(kind), cpus_near(folder), distances_from(folder)});
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
    if (nodes_.size() <= 1) return machine_;
    if (folder.empty() || read_text(root_ + folder + "/numa_node").starts_with("-")) return {};
    return model::parse_cpu_set(trimmed(root_ + folder + "/local_cpulist"))
               .value_or(model::CpuSet()) &
           machine_;
  }

  // The kernel's numbers of a topology's NUMA nodes, which a cgroup may have left with a part of
  // their cpus, or with memory alone; nothing where one is not known, or where all cpus are near.
  [[nodiscard]] std::vector<std::optional<std::uint32_t>> numbers_of(
      const std::vector<model::CpuSet>& objects) const {
    std::vector<std::optional<std::uint32_t>> numbers;
    for (const model::CpuSet& cpus : objects) {
      if (cpus.empty()) {
        numbers.emplace_back();
        continue;
      }
      const auto node = std::ranges::find_if(
          nodes_, [&](const model::NumaNode& one) { return cpus.within(one.cpus); });
      if (node == nodes_.end()) return {};
      numbers.emplace_back(node->number);
    }
    if (nodes_.size() <= 1) numbers.clear();
    return numbers;
  }

  // A row of the kernel's table has a column for each node that is online.
  [[nodiscard]] std::vector<std::uint32_t> distances_from(const std::string& folder) const {
    const std::string nodes = root_ + "/sys/devices/system/node/";
    const std::string own = folder.empty() ? "" : trimmed(root_ + folder + "/numa_node");
    if (numbers_.empty() || !is_numbered(own, "")) return {};
    const auto row = base::split(trimmed(fmt::format("{}node{}/distance", nodes, own)), " ");
    const auto online = model::parse_cpu_list(trimmed(nodes + "online"));
    if (!online) return {};
    std::vector<std::uint32_t> distances;
    for (const std::optional<std::uint32_t>& number : numbers_) {
      if (!number) {
        distances.push_back(kFarthest);
        continue;
      }
      const auto column =
          static_cast<std::size_t>(std::ranges::find(*online, *number) - online->begin());
      const auto distance = column < row.size() ? number_in(row[column]) : std::nullopt;
      if (!distance) return {};
      distances.push_back(*distance);
    }
    return distances;
  }

  static constexpr std::uint32_t kFarthest = 255;  // the kernel's number for out of reach

  std::string root_;
  const model::CpuSet& machine_;
  std::vector<model::NumaNode> nodes_;
  std::vector<std::optional<std::uint32_t>> numbers_;  // none: no rank can be bound to it
  std::vector<model::NearDevice> found_;
};

}  // namespace

std::vector<model::NearDevice> near_devices(std::span<const std::string> environment,
                                            const model::Topology& topology,
                                            const std::string& root, const std::string& listing) {
  NearDevices near(root, topology);
  const std::vector<model::Devices> accelerators = devices(root, environment);
  if (!accelerators.empty()) {
    const DeviceNames names(root, listing);
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
