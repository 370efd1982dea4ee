// ContainerSpec: the container in which all ranks of a host run, whichever runtime starts it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster::model {

// `automatic`: the first of these that a host has.
enum class ContainerRuntime : std::uint8_t {
  automatic,
  podman,
  docker,
  apptainer,
  enroot,
  charliecloud,
};

// A folder or file of the host, as the container sees it.
struct ContainerMount {
  std::string source;  // absolute
  std::string target;  // absolute; the same as `source` unless it was given
  bool read_only = false;
  bool operator==(const ContainerMount&) const = default;
};

struct ContainerSpec {
  std::string image;  // as the runtime names it
  ContainerRuntime runtime = ContainerRuntime::automatic;
  std::vector<std::string> options;  // further words for the runtime's `run`, as they are
  std::vector<ContainerMount> mounts;
  std::vector<std::string> devices;  // "/dev/fuse", or a name of CDI ("nvidia.com/gpu=all")
  std::uint64_t shared_memory = 0;   // bytes of /dev/shm; 0: that of the host
  bool from_here = false;            // hosts without the image get it from this machine
  bool operator==(const ContainerSpec&) const = default;
};

}  // namespace muster::model
