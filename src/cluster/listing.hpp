// Listing: objects of runs as a cluster has them, for kubernetes::read_state.
#pragma once

#include <string>

#include "cluster/kubectl.hpp"
#include "kubernetes/value.hpp"

namespace muster::cluster {

// What all objects of a run have in common; without an id, those of all runs. `id`: the name of the
// run's Secret.
[[nodiscard]] std::string selector_of(const std::string& id);

// Pods and Jobs with these labels.
[[nodiscard]] Answered<kubernetes::Value> list_objects(const Kubectl& kubectl,
                                                       const std::string& selector);

// The same with the events of the namespace that tell what keeps pods from running or has ended
// them: no label says whose an event is. Who may not see events sees the rest.
[[nodiscard]] Answered<kubernetes::Value> list_with_events(const Kubectl& kubectl,
                                                           const std::string& selector);

}  // namespace muster::cluster
