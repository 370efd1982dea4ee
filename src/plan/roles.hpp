// What ranks with roles learn of each other: TensorFlow's TF_CONFIG, MindSpore's scheduler. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"
#include "plan/environment.hpp"

namespace muster::plan {

// MindSpore's own words (mindspore/python/mindspore/parallel/cluster/process_entity/_api.py).
inline constexpr std::string_view kMindSporeScheduler = "MS_SCHED";
inline constexpr std::string_view kMindSporeWorker = "MS_WORKER";
inline constexpr std::string_view kMindSporeServer = "MS_PSERVER";

// Whether ranks of a role use no device, and so need no slot of their own: parameter servers,
// evaluators, MindSpore's scheduler.
[[nodiscard]] bool is_light(std::string_view role);

// How many free ports the host of a node must find for its ranks.
[[nodiscard]] std::uint32_t ports_wanted(const model::JobSpec& spec,
                                         const model::PlannedNode& node);

// Every rank that needs a port has one. Fault::internal otherwise: an agent told of too few.
[[nodiscard]] base::Result<void> check_ports(const model::JobSpec& spec, const model::Plan& plan,
                                             const Rendezvous& where);

// Ranks are counted through all programs that have the role.
[[nodiscard]] std::uint32_t ranks_of(const model::JobSpec& spec, const model::Plan& plan,
                                     std::string_view role);
[[nodiscard]] std::uint32_t index_in_role(const model::JobSpec& spec, const model::Plan& plan,
                                          base::Rank rank);

// Among the ranks of its role on its node.
[[nodiscard]] std::uint32_t place_in_role(const model::JobSpec& spec, const model::Plan& plan,
                                          base::Rank rank);

// {"cluster": {"worker": ["10.0.0.1:20001", ...]}, "task": {"type": "worker", "index": 0},
// "environment": "cloud"}; evaluators are not part of the cluster (TensorFlow's TFConfigCluster
// Resolver). Roles stand in the order in which they were asked for.
[[nodiscard]] std::string tf_config(const model::JobSpec& spec, const model::Plan& plan,
                                    const Rendezvous& where, base::Rank rank);

// Where MindSpore's first scheduler is to listen.
struct Scheduler {
  std::string address;
  std::string port;
};
[[nodiscard]] Scheduler scheduler(const model::JobSpec& spec, const model::Plan& plan,
                                  const Rendezvous& where);

}  // namespace muster::plan
