// Gathering: which nodes of a job have joined node 0, and whether another one may. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "wire/join.hpp"

namespace muster::machine {

class Gathering {
 public:
  // `nodes` in all, including node 0, which has joined. Unnumbered: nodes are numbered as they
  // come.
  Gathering(std::uint32_t nodes, bool numbered) : numbered_(numbered), there_(nodes) {
    there_.front() = wire::Join{};
  }

  // The number of the node from now on, or why it may not take part.
  [[nodiscard]] base::Result<std::uint32_t> admit(wire::Join join);
  // It has disconnected, and may join again.
  void leave(std::uint32_t node) { there_[node].reset(); }

  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::vector<std::uint32_t> missing() const;
  // Of a node that has joined.
  [[nodiscard]] const wire::Join& of(std::uint32_t node) const { return *there_[node]; }

 private:
  [[nodiscard]] base::Result<std::uint32_t> number_of(const wire::Join& join) const;

  bool numbered_;
  std::vector<std::optional<wire::Join>> there_;  // index: node
};

// "node 1", "nodes 1, 3", "nodes 1, 2, 3, 4, 5 and 2 more".
[[nodiscard]] std::string nodes_in_words(const std::vector<std::uint32_t>& nodes);

}  // namespace muster::machine
