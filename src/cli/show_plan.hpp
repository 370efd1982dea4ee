// show_plan: prints what a front end wants shown of a plan before it is carried out.
#pragma once

#include "front/request.hpp"
#include "model/inventory.hpp"
#include "model/plan.hpp"

namespace muster::cli {

// Returns what print() does.
[[nodiscard]] int show_plan(const front::Shown& shown, const model::Inventory& inventory,
                            const model::Plan& plan);

}  // namespace muster::cli
