// FakeShares: the cores of this machine, shared out among fake nodes.
#pragma once

#include <vector>

#include "model/topology.hpp"

namespace muster::plan {

class FakeShares {
 public:
  // Null topology: none is known, and every share is null.
  FakeShares(const model::SharedTopology& topology, std::uint32_t nodes);

  // What node `index` may use: cores in a row, at least one. With more nodes than cores, several
  // nodes share one.
  [[nodiscard]] model::SharedTopology of(std::uint32_t index) const;

 private:
  std::vector<model::SharedTopology> shares_;  // empty: none is known
  std::uint32_t nodes_;
};

}  // namespace muster::plan
