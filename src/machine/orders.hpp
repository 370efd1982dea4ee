// orders: what a host is told of the ranks that it shall start. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/id.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "plan/environment.hpp"
#include "wire/messages.hpp"

namespace muster::machine {

// One world; everything is borrowed.
struct OrdersFor {
  const model::JobSpec& spec;
  const model::Plan& plan;  // its ranks count from 0
  const plan::Rendezvous& where;
  const plan::Kept& kept;
  const std::string& job;
  base::Rank first;  // the run's number of its rank 0
};

// Apps and tasks of a node of the plan; `input` of each task, window and wire-up are the caller's.
[[nodiscard]] wire::Prepare orders(const OrdersFor& world, base::NodeIndex node);

}  // namespace muster::machine
