// The words for the states of a step.
#include "model/step.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::model {
namespace {

constexpr std::array<std::pair<StepState, std::string_view>, 8> kStepWords = {{
    {StepState::waiting, "waiting"},
    {StepState::running, "running"},
    {StepState::completed, "completed"},
    {StepState::reused, "reused"},
    {StepState::failed, "failed"},
    {StepState::stopped, "stopped"},
    {StepState::left_out, "left out"},
    {StepState::blocked, "blocked"},
}};

}  // namespace

std::string_view word(StepState state) { return kStepWords[std::size_t(state)].second; }

std::optional<StepState> step_state(std::string_view word) {
  for (const auto& [state, own] : kStepWords) {
    if (own == word) return state;
  }
  return std::nullopt;
}

}  // namespace muster::model
