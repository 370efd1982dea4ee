// The text of a topology, for the wire and for recorded ones in tests.
#pragma once

#include <string>
#include <string_view>

#include "model/topology.hpp"

namespace muster::model {

// Lines, each a word and its values: "topology 1", "allowed 0-7", "claimed 0" if any are, then for
// each level that there is "core 0-1 2-3", "memory BYTES ..." with one number for each NUMA node,
// and for each device "device 0 CUDA_VISIBLE_DEVICES 0-7" or, with its distances to NUMA nodes,
// "device eth0 net 0-7 10 21". "-" is the empty set.
[[nodiscard]] std::string encode(const Topology& topology);

// At most 1 MiB, kCpusMax objects on a level; all objects lie within the machine, which is one and
// has the allowed cpus, at least one. Fault::internal says what is wrong.
[[nodiscard]] base::Result<Topology> decode_topology(std::string_view text);

}  // namespace muster::model
