// Finds ranks' numbers among what the user sets.
#include "plan/identities.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace muster::plan {
namespace {

struct Identity {
  std::string_view name;
  bool on_node = false;  // counts the ranks of one node only
};

constexpr Identity kIdentities[] = {{"RANK"},
                                    {"LOCAL_RANK", true},
                                    {"OMPI_COMM_WORLD_RANK"},
                                    {"OMPI_COMM_WORLD_LOCAL_RANK", true},
                                    {"PMI_RANK"},
                                    {"MPI_LOCALRANKID", true},
                                    {"HOROVOD_RANK"},
                                    {"HOROVOD_LOCAL_RANK", true},
                                    {"JAX_PROCESS_ID"},
                                    {"RANK_ID"},
                                    {"MS_NODE_ID"},
                                    {"DEVICE_ID", true},
                                    {"SLURM_PROCID"},
                                    {"SLURM_LOCALID", true}};

std::size_t most_on_a_node(const model::Plan& plan) {
  std::size_t most = 0;
  for (const model::PlannedNode& node : plan.nodes) most = std::max(most, node.ranks.size());
  return most;
}

}  // namespace

std::vector<std::string> shared_identities(const model::JobSpec& spec, const model::Plan& plan) {
  const std::size_t most = most_on_a_node(plan);
  std::vector<std::string> lines;
  for (const model::App& app : spec.apps) {
    for (const model::EnvSetting& one : app.exports) {
      const auto* known = std::ranges::find(kIdentities, one.name, &Identity::name);
      if (one.ours || known == std::end(kIdentities)) continue;
      const std::size_t sharing = known->on_node ? most : plan.ranks.size();
      if (sharing < 2) continue;
      std::string line = fmt::format(
          "{} is set for all ranks alike: {} of them take it for their "
          "own number",
          one.name, sharing);
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace muster::plan
