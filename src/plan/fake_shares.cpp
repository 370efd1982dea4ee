// Cuts the allowed cores of a machine into shares.
#include "plan/fake_shares.hpp"

#include <algorithm>

namespace muster::plan {
namespace {

using model::CpuSet;

std::vector<CpuSet> allowed_cores(const model::Topology& topology) {
  std::vector<CpuSet> cores;
  const bool has_cores = !topology.at(model::Level::core).empty();
  for (const CpuSet& core : topology.at(has_cores ? model::Level::core : model::Level::hwthread)) {
    if (core.meets(topology.allowed)) cores.push_back(core & topology.allowed);
  }
  return cores;
}

}  // namespace

FakeShares::FakeShares(const model::SharedTopology& topology, std::uint32_t nodes) : nodes_(nodes) {
  if (!topology) return;
  const std::vector<CpuSet> cores = allowed_cores(*topology);
  const std::size_t shares = std::min<std::size_t>(nodes, cores.size());
  for (std::size_t i = 0; i < shares; ++i) {
    auto share = std::make_shared<model::Topology>(*topology);
    share->allowed = CpuSet();
    const std::size_t end = (i + 1) * cores.size() / shares;
    for (std::size_t k = i * cores.size() / shares; k < end; ++k) share->allowed |= cores[k];
    shares_.push_back({std::move(share)});
  }
}

model::SharedTopology FakeShares::of(std::uint32_t index) const {
  if (shares_.empty()) return {};
  const std::uint64_t number = std::uint64_t{index} * shares_.size() / nodes_;
  return shares_[number];
}

}  // namespace muster::plan
