// Writes the plan of a pipeline.
#include "view/steps_json.hpp"

#include <map>
#include <nlohmann/json.hpp>

#include "view/utf8.hpp"

namespace muster::view {

std::string steps_json(const std::vector<NamedStep>& steps,
                       const std::vector<model::NamedPath>& names, const std::string& warning) {
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
  text += "\n]";
  if (!names.empty()) {
    auto led = nlohmann::ordered_json::object();
    for (const model::NamedPath& one : names) led[utf8(one.name)] = utf8(one.path);
    text += ",\n\"names\":" + led.dump();
  }
  if (!warning.empty()) {
    text += ",\n\"notices\":" + nlohmann::json::array({utf8(warning)}).dump();
  }
  return text + "}\n";
}

std::vector<StepEdges> read_steps(std::string_view plan_json) {
  const auto plan = nlohmann::json::parse(plan_json.begin(), plan_json.end(), nullptr, false);
  std::vector<StepEdges> steps;
  std::map<std::string, std::size_t> numbers;
  if (!plan.is_object() || !plan.contains("steps")) return {};
  for (const auto& one : plan["steps"]) {
    if (!one.is_object() || !one.contains("step") || !one["step"].is_string()) return {};
    StepEdges& step = steps.emplace_back();
    step.name = one["step"].get<std::string>();
    for (const auto& before : one.value("after", nlohmann::json::array())) {
      const auto found =
          before.is_string() ? numbers.find(before.get<std::string>()) : numbers.end();
      if (found != numbers.end()) step.after.push_back(found->second);
    }
    numbers.emplace(step.name, steps.size() - 1);
  }
  return steps;
}

}  // namespace muster::view
