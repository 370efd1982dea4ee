// Whatever the plan, the dialects of all ranks together describe one world.
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>

#include "model/carriers.hpp"
#include "plan/environment.hpp"
#include "plan/plan.hpp"
#include "unit/plan/dialects_of.hpp"

namespace muster::plan {
namespace {

using Environment = std::map<std::string, std::string>;

std::vector<Environment> environments(const model::Plan& plan) {
  const Rendezvous where = rendezvous(plan, {});
  model::JobSpec spec;
  spec.apps.front().command = {"program"};
  std::vector<Environment> result;
  for (std::uint32_t rank = 0; rank < plan.ranks.size(); ++rank) {
    Environment& environment = result.emplace_back();
    for (const auto& [name, value, why] :
         dialects(plan, where, {}, "job", spec, base::Rank(rank))) {
      environment.emplace(name, value);
    }
  }
  return result;
}

// A plan of up to 6 uneven nodes.
model::Plan some_plan() {
  model::JobSpec spec;
  spec.oversubscribe = true;
  spec.mapping.map_by = *rc::gen::element(model::MapBy::slot, model::MapBy::node);
  spec.apps.front().ranks = *rc::gen::inRange<std::uint32_t>(1, 25);
  model::Inventory inventory;
  inventory.source = model::kHostsListed;
  const auto slots =
      *rc::gen::resize(6, rc::gen::nonEmpty(rc::gen::container<std::vector<std::uint32_t>>(
                              rc::gen::inRange<std::uint32_t>(1, 6))));
  for (const std::uint32_t count : slots) {
    model::Host host;
    host.name = fmt::format("n{}", inventory.hosts.size());
    host.carrier = model::kOpened;
    host.slots = count;
    inventory.hosts.push_back(host);
  }
  return *place(spec, inventory);
}

// By the definition: ranks with the same local rank on lower nodes, and on all.
std::size_t twins_below(const model::Plan& plan, const model::PlannedRank& of,
                        std::uint32_t below) {
  std::size_t count = 0;
  for (const model::PlannedRank& other : plan.ranks) {
    count += other.local_rank == of.local_rank && other.node.value < below ? 1 : 0;
  }
  return count;
}

RC_GTEST_PROP(PlanDialects, ranks_and_sizes_agree_in_all_dialects, ()) {
  const model::Plan plan = some_plan();
  const auto all = environments(plan);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Environment& env = all[i];
    const std::string rank = std::to_string(i);
    const std::string world = std::to_string(all.size());
    for (const char* name : {"RANK", "ROLE_RANK", "OMPI_COMM_WORLD_RANK", "HOROVOD_RANK"}) {
      RC_ASSERT(env.at(name) == rank);
    }
    for (const char* name :
         {"WORLD_SIZE", "ROLE_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "HOROVOD_SIZE"}) {
      RC_ASSERT(env.at(name) == world);
    }
    for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_NODE_RANK",
                             "MPI_LOCALRANKID", "HOROVOD_LOCAL_RANK"}) {
      RC_ASSERT(env.at(name) == env.at("LOCAL_RANK"));
    }
    for (const char* name :
         {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "HOROVOD_LOCAL_SIZE"}) {
      RC_ASSERT(env.at(name) == env.at("LOCAL_WORLD_SIZE"));
    }
    RC_ASSERT(env.at("MASTER_ADDR") == all[0].at("MASTER_ADDR"));
  }
}

RC_GTEST_PROP(PlanDialects, node_and_local_rank_name_one_rank, ()) {
  std::set<std::pair<std::string, std::string>> seen;
  const auto all = environments(some_plan());
  for (const Environment& env : all) seen.emplace(env.at("NODE_RANK"), env.at("LOCAL_RANK"));
  RC_ASSERT(seen.size() == all.size());
}

RC_GTEST_PROP(PlanDialects, horovod_crosses_by_the_definition, ()) {
  const model::Plan plan = some_plan();
  const auto all = environments(plan);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const model::PlannedRank& rank = plan.ranks[i];
    const auto nodes = static_cast<std::uint32_t>(plan.nodes.size());
    RC_ASSERT(all[i].at("HOROVOD_CROSS_RANK") ==
              std::to_string(twins_below(plan, rank, rank.node.value)));
    RC_ASSERT(all[i].at("HOROVOD_CROSS_SIZE") == std::to_string(twins_below(plan, rank, nodes)));
  }
}

}  // namespace
}  // namespace muster::plan
