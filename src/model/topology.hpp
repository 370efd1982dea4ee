// Topology: the hardware of one host that ranks can be mapped by and bound to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/cpu_set.hpp"

namespace muster::model {

// Kinds of hardware, small to large. `machine` is the whole host: one board, one object.
enum class Level : std::uint8_t {
  hwthread,
  core,
  l1cache,
  l2cache,
  l3cache,
  numa,
  package,  // "socket" in Open MPI 4.1 and MPICH
  machine,
};
inline constexpr std::size_t kLevels = 8;

// A host with more accelerators and network devices tells of the first ones.
inline constexpr std::size_t kNearDevicesMax = 1024;

// The word that users write: "hwthread", "core", ... "package", "machine".
[[nodiscard]] std::string_view name_of(Level level);

inline constexpr std::string_view kNetwork = "net";  // kinds of devices, as /sys/class has them
inline constexpr std::string_view kInfiniBand = "infiniband";

// A device of a host, and what of the host is near it.
struct NearDevice {
  // "mlx5_0", "eth0"; of an accelerator what its variable calls it, an index or a UUID.
  std::string name;
  std::string kind;  // kNetwork, kInfiniBand, or the variable that limits a process to accelerators
  CpuSet cpus = {};  // that are nearest to it; empty: none is left to us, or the host does not tell
  // To each object of Level::numa, as the kernel's table has them: 10 is the nearest; empty: it
  // does not tell.
  std::vector<std::uint32_t> distances = {};

  // Whether the host tells where it is, be it far from all cpus that are left to us.
  [[nodiscard]] bool is_placed() const { return !cpus.empty() || !distances.empty(); }
  [[nodiscard]] bool is_accelerator() const { return kind != kNetwork && kind != kInfiniBand; }
  bool operator==(const NearDevice&) const = default;
};

struct Topology {
  // For each level its objects with their cpus, in hwloc's logical order (depth first), cpus that
  // may not be used included. A level that the host does not have is empty, but for `machine`. NUMA
  // nodes may have no cpus (memory only).
  std::array<std::vector<CpuSet>, kLevels> objects;
  std::vector<std::uint64_t> numa_bytes;  // memory of each object of Level::numa
  CpuSet allowed;       // what affinity and cgroup leave to us; never empty, within the machine
  CpuSet claimed = {};  // of these, what other jobs of muster are bound to; where it was asked for
  std::vector<NearDevice> devices = {};  // at most kNearDevicesMax; likewise

  [[nodiscard]] const std::vector<CpuSet>& at(Level level) const {
    return objects[static_cast<std::size_t>(level)];
  }
  [[nodiscard]] std::vector<CpuSet>& at(Level level) {
    return objects[static_cast<std::size_t>(level)];
  }
  bool operator==(const Topology&) const = default;
};

// One topology for any number of equal hosts; null: not known. Compares by value.
struct SharedTopology {
  std::shared_ptr<const Topology> value;

  [[nodiscard]] explicit operator bool() const { return value != nullptr; }
  const Topology& operator*() const { return *value; }
  const Topology* operator->() const { return value.get(); }
  bool operator==(const SharedTopology& other) const {
    if (value == other.value) return true;
    return value && other.value && *value == *other.value;
  }
};

}  // namespace muster::model
