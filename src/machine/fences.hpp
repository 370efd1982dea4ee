// Fences: gathers the parts that all hosts bring to a collective exchange of their ranks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"

namespace muster::machine {

class Fences {
 public:
  explicit Fences(std::size_t nodes) : nodes_(nodes) {}

  // The joined parts, in the order of nodes, once the last has come. A second part of a node for
  // the same sequence is ignored.
  [[nodiscard]] std::optional<std::string> add(std::uint32_t sequence, base::NodeIndex node,
                                               const std::string& part);

  // Exchanges that still wait for parts.
  [[nodiscard]] std::size_t open() const { return parts_.size(); }
  // Asserts what holds between two calls; takes time, so only tests ask.
  void check() const;
  bool operator==(const Fences&) const = default;

 private:
  std::size_t nodes_;
  std::map<std::uint32_t, std::map<base::NodeIndex, std::string>> parts_;  // by sequence
};

}  // namespace muster::machine
