// From a wish, and from the nodes that there are, to what one rank gets.
#include "plan/memory.hpp"

namespace muster::plan {
namespace {

using model::CpuSet;
using model::MemoryMode;
using model::MemoryPolicy;
using model::NumaNode;

CpuSet numbers_of(std::span<const NumaNode> nodes) {
  CpuSet numbers;
  for (const NumaNode& node : nodes) numbers.add(node.number);
  return numbers;
}

CpuSet nodes_with(std::span<const NumaNode> nodes, const CpuSet& cpus) {
  CpuSet numbers;
  for (const NumaNode& node : nodes) {
    if (node.cpus.meets(cpus)) numbers.add(node.number);
  }
  return numbers.empty() ? numbers_of(nodes) : numbers;
}

}  // namespace

base::Result<MemoryPolicy> memory_policy(const model::MemoryWish& wish,
                                         std::span<const NumaNode> nodes, const CpuSet& cpus) {
  MemoryPolicy policy{wish.mode, {}};
  if (wish.mode == MemoryMode::inherited || wish.mode == MemoryMode::local) return policy;
  const CpuSet present = numbers_of(nodes);
  const CpuSet missing = nodes.empty() ? CpuSet() : wish.nodes - present;
  if (!missing.empty()) {
    return base::fail(base::Fault::usage, "`numactl -H` lists the NUMA nodes of a host",
                      "there is no memory for this job on NUMA node {}, only on {}",
                      model::to_string(missing), model::to_string(present));
  }
  policy.nodes = wish.own_nodes ? nodes_with(nodes, cpus) : wish.nodes;
  if (policy.nodes.empty()) policy.nodes = present;
  return policy;
}

base::Result<std::string> foreseen_memory(const model::MemoryWish& wish, const model::Plan& plan) {
  if (wish.mode == MemoryMode::inherited) return std::string();
  std::string first;
  std::size_t others = 0;
  for (const model::PlannedNode& node : plan.nodes) {
    auto fine = memory_policy(wish, node.host.numa, {});
    if (!fine) {
      fine.error().what = fmt::format("{}: {}", node.host.name, fine.error().what);
      return tl::unexpected(std::move(fine.error()));
    }
    if (node.host.numa.size() != 1) continue;
    if (first.empty()) {
      first = node.host.name;
    } else {
      ++others;
    }
  }
  if (first.empty()) return std::string();
  if (others > 0) first += fmt::format(" and {} more host{}", others, others == 1 ? "" : "s");
  return fmt::format("binding memory changes nothing on {}: there is one NUMA node", first);
}

}  // namespace muster::plan
