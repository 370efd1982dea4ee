// The head's warnings that a host has too little /dev/shm for what its ranks are about to do.
#include "machine/head_machine.hpp"
#include "machine/shared_memory.hpp"

namespace muster::machine {

bool HeadMachine::shares_too_little(base::NodeIndex node) const {
  const auto& shared = hosts_.shared(node);
  return shared && too_small_for_mpi(*shared, input_.plan.nodes[node.value].ranks.size());
}

// Of the first such host that has ranks in MPI_Init: as a rule the others are like it.
void HeadMachine::warn_mpi(base::NodeIndex node, HeadEffects& out) {
  if (stop_sent_ || shared_told_ || !shares_too_little(node)) return;
  shared_told_ = true;
  out.push_back(Say{too_small_for_mpi_words(host(node), *hosts_.shared(node),
                                            input_.plan.nodes[node.value].ranks.size())});
}

// Whether ranks will load data in other processes cannot be known: those of torch's launchers, and
// those with accelerators, as a rule do.
void HeadMachine::warn_loaders(HeadEffects& out) const {
  std::vector<base::NodeIndex> small;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const base::NodeIndex node(i);
    const auto& facts = hosts_.facts(node);
    const auto& shared = hosts_.shared(node);
    const bool needs =
        input_.spec.torch || input_.spec.deepspeed || (facts && !facts->devices.empty());
    if (needs && shared && too_small_for_loaders(*shared)) small.push_back(node);
  }
  if (small.empty()) return;
  const base::NodeIndex first = small.front();
  out.push_back(
      Say{too_small_for_loaders_words(host(first), small.size() - 1, *hosts_.shared(first))});
}

}  // namespace muster::machine
