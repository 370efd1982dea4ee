// Numbers nodes and finds contradictions.
#include "machine/gathering.hpp"

#include <algorithm>

#include "view/first_few.hpp"

namespace muster::machine {

using base::fail;
using base::Fault;

base::Result<std::uint32_t> Gathering::admit(wire::Join join) {
  if (join.protocol != wire::kProtocol) {
    return fail(Fault::unreachable, "install the same muster on every node",
                "muster {} there speaks protocol {}, node 0 {}", join.version, join.protocol,
                wire::kProtocol);
  }
  if (join.nodes != there_.size()) {
    return fail(Fault::usage, "give the same --nnodes on every node",
                "it was started for {} nodes, node 0 for {}", join.nodes, there_.size());
  }
  return number_of(join).map([&](std::uint32_t node) {
    there_[node] = std::move(join);
    return node;
  });
}

base::Result<std::uint32_t> Gathering::number_of(const wire::Join& join) const {
  if (!numbered_ || !join.node) {
    const auto vacant = std::ranges::find(there_, false, &std::optional<wire::Join>::has_value);
    if (vacant != there_.end()) return static_cast<std::uint32_t>(vacant - there_.begin());
    return fail(Fault::usage, "", "all {} nodes have already joined", there_.size());
  }
  if (*join.node >= there_.size()) {
    return fail(Fault::usage, "nodes are numbered from 0",
                "there is no node {}: the job has {} nodes", *join.node, there_.size());
  }
  if (!there_[*join.node]) return *join.node;
  return fail(Fault::usage, "give each node a different --node-rank",
              "node {} has already joined{}", *join.node,
              *join.node == 0 ? "" : ": " + there_[*join.node]->hostname);
}

bool Gathering::complete() const {
  return std::ranges::all_of(there_, [](const auto& one) { return one.has_value(); });
}

std::vector<std::uint32_t> Gathering::missing() const {
  std::vector<std::uint32_t> missing;
  for (std::uint32_t node = 0; node < there_.size(); ++node) {
    if (!there_[node]) missing.push_back(node);
  }
  return missing;
}

std::string nodes_in_words(const std::vector<std::uint32_t>& nodes) {
  return (nodes.size() == 1 ? "node " : "nodes ") +
         view::first_few(nodes.size(), [&](std::size_t i) { return nodes[i]; });
}

}  // namespace muster::machine
