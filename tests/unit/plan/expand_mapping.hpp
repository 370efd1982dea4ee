// A naive reader of PMI_process_mapping, as a client would be one.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "plan/process_mapping.hpp"

namespace muster::plan::test {

// The node of each rank; empty when the text is not understood.
inline std::vector<std::uint32_t> expand_mapping(const std::string& text, std::size_t ranks) {
  const std::string start = "(vector";
  std::vector<std::uint32_t> nodes;
  if (text.compare(0, start.size(), start) != 0) return nodes;
  while (nodes.size() < ranks) {
    std::istringstream blocks(text.substr(start.size()));
    const std::size_t before = nodes.size();
    char letter = 0;
    std::uint32_t first = 0, count = 0, per_node = 0;
    while (blocks >> letter && letter == ',') {
      blocks >> letter >> first >> letter >> count >> letter >> per_node >> letter;
      for (std::uint32_t i = 0; i < count * per_node && nodes.size() < ranks; ++i)
        nodes.push_back(first + i / per_node);
    }
    if (letter != ')' || nodes.size() == before) return {};
  }
  return nodes;
}

}  // namespace muster::plan::test
