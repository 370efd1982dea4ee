// MpiLibraries: which MPI library ranks of each host have loaded, and whether they understand each
// other. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/id.hpp"

namespace muster::machine {

// "Open MPI 4.1.4", "MPICH 4.2.1". Within a series, 4.1 or 4.2, versions understand each other:
// Open MPI names what its ranks tell each other by series ("btl.tcp.4.1"), and MPICH's ranks of two
// series wait for each other without end. Of Intel MPI no such limit is known.
[[nodiscard]] bool understand(const std::string& one, const std::string& other);

class MpiLibraries {
 public:
  struct Loaded {
    base::Rank rank;
    std::string name;
    bool operator==(const Loaded&) const = default;
  };
  // A rank's; empty where it is not known. The first rank's that does not understand it, if so.
  [[nodiscard]] std::optional<Loaded> add(base::Rank rank, const std::string& name);
  bool operator==(const MpiLibraries&) const = default;

 private:
  std::optional<Loaded> first_;
};

}  // namespace muster::machine
