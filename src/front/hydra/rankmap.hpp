// -rankmap: which host each rank is on, in the text of PMI_process_mapping.
#pragma once

#include "front/hydra/draft.hpp"

namespace muster::front {

// "1,1,0", "(0,2,4)" or "(vector,(0,2,4),(2,1,1))": host numbers, or first host, hosts and ranks on
// each. A map that ends early begins again (mpich src/mpl/src/mpl_rankmap.c). The hosts of the job
// become one entry a rank. Fault::usage for other texts, hosts that do not exist, no hosts at all.
[[nodiscard]] base::Result<void> apply_rank_map(HydraDraft& draft);

// A host that is written again after another one takes its slots there once more, as a node of its
// own does in Hydra, which only joins neighbours (HYDU_add_to_node_list). Here it stays one node,
// but its ranks have the numbers that they have there. Does nothing for hosts written once.
[[nodiscard]] base::Result<void> apply_repeats(HydraDraft& draft);

}  // namespace muster::front
