// Orders NUMA nodes, and fills them.
#include "plan/distance.hpp"

#include <algorithm>
#include <numeric>

namespace muster::plan {
namespace {

using base::Fault;
using model::Level;
using model::NearDevice;
using Places = std::vector<std::uint32_t>;  // objects of Level::numa, each as often as ranks fit

base::Result<const NearDevice*> device_on(const model::Host& host, const std::string& name) {
  const NearDevice* found = nullptr;
  std::size_t count = 0;
  for (const NearDevice& one : host.topology->devices) {
    const bool is_meant =
        name == "auto" ? one.kind == model::kInfiniBand : one.name == name && !one.is_accelerator();
    if (!is_meant) continue;
    found = &one;
    ++count;
  }
  const std::string names = network_devices(*host.topology);
  const std::string hint = names.empty() ? "" : fmt::format("{} has {}", host.name, names);
  if (name == "auto" && count != 1) {
    return base::fail(Fault::usage, hint, "{} has {} InfiniBand devices: which one is to be near?",
                      host.name, count);
  }
  if (found == nullptr) {
    return base::fail(Fault::usage, hint, "{} has no network device {} to map by", host.name, name);
  }
  if (found->is_placed()) return found;
  return base::fail(Fault::usage, "--map-by numa deals ranks to NUMA nodes in turn",
                    "{} does not tell which NUMA node {} is near to", host.name, found->name);
}

// From the device to an object of the hardware, which is one of the topology's or a part of one.
std::uint32_t distance_to(const model::CpuSet& object, const NearDevice& device,
                          const model::Topology& topology) {
  constexpr std::uint32_t kOwn = 10;  // the kernel's number for the nearest
  const auto& nodes = topology.at(Level::numa);
  const auto whole =
      std::ranges::find_if(nodes, [&](const auto& cpus) { return cpus.meets(object); });
  const auto index = static_cast<std::size_t>(whole - nodes.begin());
  if (index < device.distances.size()) return device.distances[index];
  return object.meets(device.cpus) ? kOwn : kOwn + 1;
}

base::Result<Places> places_on(const model::Mapping& mapping, const model::Host& host,
                               const Hardware& hardware) {
  const auto& nodes = hardware.at(Level::numa);
  Places order(nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  if (nodes.size() > 1) {
    const auto device = device_on(host, mapping.device);
    if (!device) return tl::unexpected(device.error());
    std::ranges::stable_sort(order, {}, [&](std::uint32_t node) {
      return distance_to(nodes[node].set, **device, *host.topology);
    });
  }
  Places places;
  for (const std::uint32_t node : order) {
    places.insert(places.end(), std::max(1U, nodes[node].cpus / mapping.cpus_per_rank), node);
  }
  return places;
}

}  // namespace

std::string network_devices(const model::Topology& topology) {
  std::string names;
  for (const NearDevice& one : topology.devices) {
    if (one.is_accelerator()) continue;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  return names;
}

base::Result<void> fill_by_distance(const model::Mapping& mapping,
                                    const model::Inventory& inventory, HardwareOfHosts& hardware,
                                    std::vector<Assignment>& assignments) {
  std::vector<Places> places(inventory.hosts.size());
  std::vector<std::size_t> next(inventory.hosts.size());
  for (Assignment& assignment : assignments) {
    Places& own = places[assignment.host];
    if (own.empty()) {
      const model::Host& host = inventory.hosts[assignment.host];
      const auto known = hardware.find(host, mapping);
      if (!known) return tl::unexpected(known.error());
      auto made = places_on(mapping, host, **known);
      if (!made) return tl::unexpected(made.error());
      own = std::move(*made);
    }
    if (own.empty()) continue;
    assignment.object = own[next[assignment.host]++ % own.size()];
  }
  return {};
}

}  // namespace muster::plan
