// The plan of a pipeline as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/step.hpp"

namespace muster::view {

struct NamedStep {
  std::string name;
  const model::PlannedStep& plan;
};

// plan.json: an object with `steps`, each on one line: its name, the names of those that it waits
// for, its nodes and its slots on each of them.
[[nodiscard]] std::string steps_json(const std::vector<NamedStep>& steps);

}  // namespace muster::view
