// The plan of a pipeline as JSON. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/record.hpp"
#include "model/step.hpp"

namespace muster::view {

struct NamedStep {
  std::string name;
  const model::PlannedStep& plan;
};

// plan.json: an object with `steps`, each on one line: its name, the names of those that it waits
// for, its nodes and its slots on each of them; and with `names`, if there are any: those of what
// lies in a cloud, and where they lead; and with `notices`, if there is a warning.
[[nodiscard]] std::string steps_json(const std::vector<NamedStep>& steps,
                                     const std::vector<model::NamedPath>& names = {},
                                     const std::string& warning = {});

// The same read back: names, and the indices of those that each waits for, which come before it.
// Empty for text that is none.
struct StepEdges {
  std::string name;
  std::vector<std::size_t> after;
};
[[nodiscard]] std::vector<StepEdges> read_steps(std::string_view plan_json);

}  // namespace muster::view
