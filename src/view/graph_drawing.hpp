// A pipeline's graph as a picture: Mermaid's text, or SVG. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/step.hpp"

namespace muster::view {

struct DrawnStep {
  std::string name;
  std::vector<std::size_t> after;  // each below its own index
  model::StepState state = model::StepState::waiting;
  std::string note = {};  // below the name: "failed, 12 s"
};

// A flowchart as https://mermaid.js.org describes it.
[[nodiscard]] std::string mermaid(const std::vector<DrawnStep>& steps);

// A whole file, without scripts or references to others. Steps that wait for the same number of
// others, at the most, are side by side.
[[nodiscard]] std::string svg(const std::vector<DrawnStep>& steps);

}  // namespace muster::view
