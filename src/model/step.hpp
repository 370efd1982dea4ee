// Steps of a pipeline: what each needs, and what has become of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::model {

enum class StepState : std::uint8_t {
  waiting,    // for steps before it, or for slots
  running,    // its head has a process
  completed,  // with exit code 0
  reused,     // the outputs of an earlier run are its own
  failed,     // with another exit code
  stopped,    // by the user, or because the pipeline ends
  left_out,   // a condition does not hold, or the user skips it
  blocked,    // a step before it did not complete, or the pipeline ended first
};

[[nodiscard]] std::string_view word(StepState state);
[[nodiscard]] std::optional<StepState> step_state(std::string_view word);

// Nothing more happens to it.
[[nodiscard]] constexpr bool is_over(StepState state) {
  return state != StepState::waiting && state != StepState::running;
}
// Its outputs are there.
[[nodiscard]] constexpr bool is_done(StepState state) {
  return state == StepState::completed || state == StepState::reused;
}

// A step runs only if a step before it has said so: the first of these that is done.
struct StepCondition {
  std::vector<std::size_t> steps;  // not empty; several: passes of a loop, the last one first
  std::string output;              // which holds true or false
  bool is = true;
  bool operator==(const StepCondition&) const = default;
};

struct PlannedStep {
  std::vector<std::size_t> after;   // all that it waits for; each below its own index
  std::vector<StepCondition> when;  // all must hold; their steps are among `after`
  std::uint32_t nodes = 1;
  std::uint32_t slots = 1;              // on each of its nodes
  std::uint32_t retries = 0;            // further attempts after one that failed
  std::vector<std::size_t> hosts = {};  // that it may use; empty: any
  bool anyway = false;                  // it runs whatever has become of those before it
  // Of each of these, all among `after`, it needs the first that is done; the others may have been
  // left out. They are passes of a loop, the last one first.
  std::vector<std::vector<std::size_t>> any_of = {};
  bool operator==(const PlannedStep&) const = default;
};

}  // namespace muster::model
