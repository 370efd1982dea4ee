// MemoryPolicy: the NUMA nodes from which the kernel takes a rank's memory.
#pragma once

#include <cstdint>

#include "model/cpu_set.hpp"

namespace muster::model {

// As set_mempolicy(2) has them.
enum class MemoryMode : std::uint8_t {
  inherited,   // what muster was started with: as a rule the same as `local`
  local,       // the node of the cpu that asks, another one when that is full
  interleave,  // each node in turn, page by page
  bind,        // some nodes alone, and no others when these are full
};

// What becomes of ranks on a host whose kernel takes no policy, as in many containers.
enum class IfRefused : std::uint8_t {
  fail,    // none is started
  tell,    // they run without, and people are told
  ignore,  // they run without
};

// What was asked for, the same for all ranks of a job.
struct MemoryWish {
  MemoryMode mode = MemoryMode::inherited;
  CpuSet nodes = {};       // numbers of NUMA nodes, as Linux counts them; empty: all of the host
  bool own_nodes = false;  // instead of these: the nodes of the cpus that a rank may run on
  IfRefused if_refused = IfRefused::fail;
  bool operator==(const MemoryWish&) const = default;
};

// What one rank gets. `nodes` is empty for `inherited` and `local`, and never for the others.
struct MemoryPolicy {
  MemoryMode mode = MemoryMode::inherited;
  CpuSet nodes = {};  // numbers of NUMA nodes
  bool operator==(const MemoryPolicy&) const = default;
};

// Memory that some cpus are nearest to.
struct NumaNode {
  std::uint32_t number = 0;  // as Linux counts them; below kCpusMax
  CpuSet cpus = {};          // none: memory alone, such as high-bandwidth memory
  bool operator==(const NumaNode&) const = default;
};

}  // namespace muster::model
