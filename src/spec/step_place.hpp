// step_place: whether the same command was called on all hosts of a Slurm step. Pure.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "model/step_place.hpp"
#include "spec/sources.hpp"

namespace muster::spec {

// Nothing: it was called once, or below a run of ours. A complaint: it was called several times on
// one host, where nobody can tell what each of them is for, or no host is known to have task 0.
// `variable` knows SLURM_PTY_PORT only where this step has a terminal: a step within has it, too.
[[nodiscard]] base::Result<std::optional<model::StepPlace>> step_place(const Variable& variable);

}  // namespace muster::spec
