// Joins the parts of one exchange when the last of them has come.
#include "machine/fences.hpp"

#include "base/check.hpp"

namespace muster::machine {

std::optional<std::string> Fences::add(std::uint32_t sequence, base::NodeIndex node,
                                       const std::string& part) {
  auto& parts = parts_[sequence];
  parts.try_emplace(node, part);
  CHECK(parts.size() <= nodes_);  // callers let in only nodes of the world
  if (parts.size() < nodes_) return std::nullopt;
  std::string joined;
  for (const auto& [from, bytes] : parts) joined += bytes;
  parts_.erase(sequence);
  return joined;
}

}  // namespace muster::machine
