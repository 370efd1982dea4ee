// Finds what the launcher tells ranks among what the user sets.
#include "plan/identities.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace muster::plan {
namespace {

enum class Tells : std::uint8_t {
  rank,        // a number that each rank has alone
  local_rank,  // the same among the ranks of a node
  node,        // a number that the ranks of a node share
  world_size,
  local_size,
  meeting,  // where ranks meet
  devices,  // which of its host's devices a rank has, where they are dealt
};

struct Identity {
  std::string_view name;
  Tells what;
};

constexpr Identity kIdentities[] = {{"RANK", Tells::rank},
                                    {"LOCAL_RANK", Tells::local_rank},
                                    {"OMPI_COMM_WORLD_RANK", Tells::rank},
                                    {"OMPI_COMM_WORLD_LOCAL_RANK", Tells::local_rank},
                                    {"PMI_RANK", Tells::rank},
                                    {"MPI_LOCALRANKID", Tells::local_rank},
                                    {"HOROVOD_RANK", Tells::rank},
                                    {"HOROVOD_LOCAL_RANK", Tells::local_rank},
                                    {"JAX_PROCESS_ID", Tells::rank},
                                    {"RANK_ID", Tells::rank},
                                    {"MS_NODE_ID", Tells::rank},
                                    {"DEVICE_ID", Tells::local_rank},
                                    {"SLURM_PROCID", Tells::rank},
                                    {"SLURM_LOCALID", Tells::local_rank},
                                    {"NODE_RANK", Tells::node},
                                    {"GROUP_RANK", Tells::node},
                                    {"AZUREML_CR_NODE_RANK", Tells::node},
                                    {"WORLD_SIZE", Tells::world_size},
                                    {"OMPI_COMM_WORLD_SIZE", Tells::world_size},
                                    {"PMI_SIZE", Tells::world_size},
                                    {"HOROVOD_SIZE", Tells::world_size},
                                    {"JAX_NUM_PROCESSES", Tells::world_size},
                                    {"LOCAL_WORLD_SIZE", Tells::local_size},
                                    {"OMPI_COMM_WORLD_LOCAL_SIZE", Tells::local_size},
                                    {"MPI_LOCALNRANKS", Tells::local_size},
                                    {"HOROVOD_LOCAL_SIZE", Tells::local_size},
                                    {"MASTER_ADDR", Tells::meeting},
                                    {"MASTER_PORT", Tells::meeting},
                                    {"CUDA_VISIBLE_DEVICES", Tells::devices},
                                    {"HIP_VISIBLE_DEVICES", Tells::devices},
                                    {"ROCR_VISIBLE_DEVICES", Tells::devices},
                                    {"ZE_AFFINITY_MASK", Tells::devices},
                                    {"ASCEND_RT_VISIBLE_DEVICES", Tells::devices}};

std::size_t most_on_a_node(const model::Plan& plan) {
  std::size_t most = 0;
  for (const model::PlannedNode& node : plan.nodes) most = std::max(most, node.ranks.size());
  return most;
}

std::string numbers(std::size_t sharing, std::string_view whose) {
  if (sharing < 2) return {};
  return fmt::format("{} of them take it for their {} number", sharing, whose);
}

// A value that the launching shell has is not known here, and may well be the right one.
std::string sizes(const model::EnvSetting& setting, std::optional<std::size_t> ours) {
  if (!setting.value || (ours && *setting.value == std::to_string(*ours))) return {};
  return ours ? fmt::format("there are {}", *ours) : "not all nodes have as many";
}

std::optional<std::size_t> size_of_all_nodes(const model::Plan& plan) {
  const std::size_t first = plan.nodes.empty() ? 0 : plan.nodes.front().ranks.size();
  const auto is_alike = [&](const model::PlannedNode& one) { return one.ranks.size() == first; };
  return std::ranges::all_of(plan.nodes, is_alike) ? std::optional(first) : std::nullopt;
}

// Of torchrun and deepspeed, the command line itself says where; mpirun and mpiexec leave it to the
// user, who says it with -x.
bool chooses_where_ranks_meet(const model::JobSpec& spec) {
  return !spec.torch && !spec.deepspeed && spec.slot_rule == model::SlotRule::muster;
}

// What is wrong with it, if anything.
std::string what_of_it(const model::JobSpec& spec, const model::Plan& plan,
                       const model::EnvSetting& setting, Tells what) {
  switch (what) {
    case Tells::rank:
      return numbers(plan.ranks.size(), "own");
    case Tells::local_rank:
      return numbers(most_on_a_node(plan), "own");
    case Tells::node:
      return plan.nodes.size() < 2 ? std::string() : numbers(plan.ranks.size(), "node's");
    case Tells::world_size:
      return sizes(setting, plan.ranks.size());
    case Tells::local_size:
      return sizes(setting, size_of_all_nodes(plan));
    case Tells::meeting:
      return chooses_where_ranks_meet(spec) ? "they do not meet where muster chose" : "";
    case Tells::devices:
      return !spec.ranks_have_own_gpus() ? "" : "they do not get devices of their own";
  }
  return {};
}

}  // namespace

std::vector<std::string> overridden(const model::JobSpec& spec, const model::Plan& plan) {
  std::vector<std::string> lines;
  for (const model::App& app : spec.apps) {
    for (const model::EnvSetting& one : app.exports) {
      const auto* known = std::ranges::find(kIdentities, one.name, &Identity::name);
      if (one.ours || known == std::end(kIdentities)) continue;
      const std::string told = what_of_it(spec, plan, one, known->what);
      if (told.empty()) continue;
      std::string line = fmt::format("{} is set for all ranks alike: {}", one.name, told);
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace muster::plan
