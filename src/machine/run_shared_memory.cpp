// A run's warnings that a host has too little /dev/shm for what its ranks are about to do.
#include "machine/run.hpp"
#include "machine/shared_memory.hpp"

namespace muster::machine {

bool Run::shares_too_little(base::NodeIndex node) const {
  const auto& shared = nodes_[node.value].shared;
  return shared && too_small_for_mpi(*shared, input_.plan.nodes[node.value].ranks.size());
}

// Of the first such host that has ranks in MPI_Init: as a rule the others are like it.
void Run::warn_mpi(base::NodeIndex node, RunEffects& out) {
  if (stop_ || shared_told_ || !shares_too_little(node)) return;
  shared_told_ = true;
  warn(too_small_for_mpi_words(host(node), *nodes_[node.value].shared,
                               input_.plan.nodes[node.value].ranks.size()),
       out);
}

// Whether ranks will load data in other processes cannot be known: those of torch's launchers, and
// those with accelerators, as a rule do.
void Run::warn_loaders(RunEffects& out) const {
  std::vector<base::NodeIndex> small;
  for (std::uint32_t i = 0; i < own_nodes(); ++i) {
    const base::NodeIndex node(i);
    const auto& facts = nodes_[node.value].facts;
    const auto& shared = nodes_[node.value].shared;
    const bool needs =
        input_.spec.torch || input_.spec.deepspeed || (facts && !facts->devices.empty());
    if (needs && shared && too_small_for_loaders(*shared)) small.push_back(node);
  }
  if (small.empty()) return;
  const base::NodeIndex first = small.front();
  warn(too_small_for_loaders_words(host(first), small.size() - 1, *nodes_[first.value].shared),
       out);
}

}  // namespace muster::machine
