// What a pipeline would do: its steps with their edges, sizes and hosts. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/step.hpp"

namespace muster::view {

struct PlannedRow {
  std::string name;
  const model::PlannedStep& plan;
  std::vector<std::string> hosts;  // where it would run if all steps took equally long
  std::string why_not;             // why it would not run; else empty
};

// A line for each step below a head line. Where lines have more than `width` columns, hosts and
// long names are cut short; 0: none are.
[[nodiscard]] std::string pipeline_plan(const std::vector<PlannedRow>& rows, std::size_t width = 0);

}  // namespace muster::view
