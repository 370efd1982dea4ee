// Gathering: which nodes of a job, or hosts of a head, have come to the one that listens, and
// whether another one may. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "machine/company.hpp"
#include "wire/join.hpp"

namespace muster::machine {

class Gathering {
 public:
  // `nodes` in all. Nodes of a job include node 0, which is there; called hosts come all.
  // Unnumbered: they are numbered as they come.
  Gathering(std::uint32_t nodes, bool numbered, const Company& company = kNodesOfAJob);

  // The number of the node from now on, or why it may not take part.
  [[nodiscard]] base::Result<std::uint32_t> admit(wire::Join join);
  // It has disconnected, and may join again.
  void leave(std::uint32_t node) { there_[node].reset(); }

  [[nodiscard]] bool complete() const;
  [[nodiscard]] std::vector<std::uint32_t> missing() const;
  // "node 1", "hosts 1, 3", "hosts 1, 2, 3, 4, 5 and 2 more".
  [[nodiscard]] std::string missing_in_words() const;
  // The first that comes; those before it are the listener itself.
  [[nodiscard]] std::uint32_t first() const { return company_.called ? 0 : 1; }
  // Of a node that has joined.
  [[nodiscard]] const wire::Join& of(std::uint32_t node) const { return *there_[node]; }

 private:
  [[nodiscard]] base::Result<void> check_kind(const wire::Join& join) const;
  [[nodiscard]] base::Result<std::uint32_t> number_of(const wire::Join& join) const;

  Company company_;
  bool numbered_;
  std::vector<std::optional<wire::Join>> there_;  // index: node
};

// "node 1", "nodes 1, 3", "nodes 1, 2, 3, 4, 5 and 2 more".
[[nodiscard]] std::string nodes_in_words(const std::vector<std::uint32_t>& nodes,
                                         std::string_view each = "node");

}  // namespace muster::machine
