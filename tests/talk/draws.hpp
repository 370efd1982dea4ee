// Jobs and plans of a few hosts, drawn.
#pragma once

#include <string>

#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "sim/dice.hpp"

namespace muster::talk {

// `program`: what agents are started with.
[[nodiscard]] model::JobSpec draw_spec(sim::Dice& dice, const std::string& program);
// Of hosts that are joined, opened or, one of them, local; sometimes with ranks that are bound.
[[nodiscard]] model::Plan draw_plan(sim::Dice& dice);

}  // namespace muster::talk
