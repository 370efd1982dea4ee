// PlacedWorld: a world, the nodes that its ranks run on, and what its hosts need to know of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "model/world.hpp"

namespace muster::machine {

struct PlacedWorld {
  model::World world;
  std::string name;     // of its PMI key-value space
  std::string mapping;  // PMI_process_mapping; empty without PMI
  // Index in the spec: the program of its eldest ancestor, whose environment and folder go along.
  std::uint32_t root = 0;
  std::vector<base::NodeIndex> nodes = {};  // ascending; where the nodes of its own plan are
  bool operator==(const PlacedWorld&) const = default;
};

}  // namespace muster::machine
