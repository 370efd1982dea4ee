// in_step: what each task of a Slurm step does, where all of them call the same muster.
#pragma once

#include <chrono>
#include <functional>

#include "base/error.hpp"
#include "base/time.hpp"
#include "cli/cli.hpp"
#include "model/step_place.hpp"

namespace muster::cli {

struct StepPart {
  std::function<int()> first;  // what task 0 does, for all of them
  // How long the others wait for task 0 at most: hosts need not start their tasks at the same
  // moment, since a prolog may take its time.
  base::Duration patience = std::chrono::minutes(1);
  bool reads_input = false;  // task 0
  // What another task does that finds no task 0, and why that is.
  std::function<int(const base::Error&)> alone;
};

// Blocks until all is over; returns the exit code, in all tasks that have found task 0 the same.
// Only those whose words are the same find each other.
[[nodiscard]] int in_step(const model::StepPlace& place, const StepPart& part,
                          const Invocation& invocation);

}  // namespace muster::cli
