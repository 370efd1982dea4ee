// Finds the blocks, and how often their list repeats.
#include "plan/process_mapping.hpp"

#include <fmt/format.h>
#include <iterator>
#include <vector>

namespace muster::plan {
namespace {

using Nodes = std::span<const std::uint32_t>;

struct Block {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint32_t per_node = 1;
};

std::vector<Block> runs(Nodes nodes) {
  std::vector<Block> out;
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    if (rank > 0 && nodes[rank] == nodes[rank - 1])
      ++out.back().per_node;
    else
      out.push_back({nodes[rank], 1, 1});
  }
  return out;
}

std::string text(Nodes nodes) {
  std::vector<Block> blocks;
  for (const Block& run : runs(nodes)) {
    const bool follows = !blocks.empty() && blocks.back().per_node == run.per_node &&
                         blocks.back().first + blocks.back().count == run.first;
    if (follows)
      ++blocks.back().count;
    else
      blocks.push_back(run);
  }
  std::string out = "(vector";
  for (const Block& block : blocks)
    fmt::format_to(std::back_inserter(out), ",({},{},{})", block.first, block.count,
                   block.per_node);
  return out + ")";
}

// The smallest number of ranks after which the nodes repeat; the last repeat may be cut short.
// Knuth, Morris and Pratt's table of borders gives it in linear time.
std::size_t period(Nodes nodes) {
  std::vector<std::size_t> border(nodes.size() + 1, 0);
  for (std::size_t at = 1, matched = 0; at < nodes.size(); ++at) {
    while (matched > 0 && nodes[at] != nodes[matched]) matched = border[matched];
    if (nodes[at] == nodes[matched]) ++matched;
    border[at + 1] = matched;
  }
  return nodes.size() - border[nodes.size()];
}

}  // namespace

// Both texts say the same; the whole one is kept unless the other is shorter, since it asks less of
// whoever reads it.
std::string process_mapping(Nodes nodes) {
  std::string whole = text(nodes);
  std::string repeated = text(nodes.first(period(nodes)));
  return repeated.size() < whole.size() ? repeated : whole;
}

std::string process_mapping(const model::Plan& plan) {
  std::vector<std::uint32_t> nodes;
  nodes.reserve(plan.ranks.size());
  for (const model::PlannedRank& rank : plan.ranks) nodes.push_back(rank.node.value);
  return process_mapping(nodes);
}

}  // namespace muster::plan
