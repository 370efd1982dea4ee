// Writes the plan of a pipeline.
#include "view/steps_json.hpp"

#include <nlohmann/json.hpp>

#include "view/utf8.hpp"

namespace muster::view {

std::string steps_json(const std::vector<NamedStep>& steps) {
  std::string text = "{\"steps\":[";
  for (const NamedStep& step : steps) {
    auto after = nlohmann::ordered_json::array();
    for (const std::size_t before : step.plan.after) after.push_back(utf8(steps[before].name));
    const nlohmann::ordered_json line{{"step", utf8(step.name)},
                                      {"after", after},
                                      {"nodes", step.plan.nodes},
                                      {"slots", step.plan.slots}};
    text += (&step == &steps.front() ? "\n  " : ",\n  ") + line.dump();
  }
  return text + "\n]}\n";
}

}  // namespace muster::view
