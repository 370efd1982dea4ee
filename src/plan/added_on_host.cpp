// The variables that agents set (host::HostTasks, PmiTasks, PmixTasks), as a dry run tells of them.
#include <algorithm>

#include "model/head_above.hpp"
#include "plan/environment.hpp"
#include "plan/surroundings.hpp"

namespace muster::plan {
namespace {

bool serves(const model::JobSpec& spec, std::initializer_list<model::Wireup> kinds) {
  return spec.wireup == model::Wireup::automatic || std::ranges::count(kinds, spec.wireup) > 0;
}

}  // namespace

std::vector<model::Variable> added_for_app(const model::Plan& plan, const model::JobSpec& spec,
                                           std::uint32_t app) {
  std::vector<model::Variable> added;
  if (gives_hostfile(spec.environment) &&
      !std::ranges::count(spec.apps[app].exports, "AZUREML_MPI_HOSTFILE",
                          &model::EnvSetting::name)) {
    added.push_back({"AZUREML_MPI_HOSTFILE", "<file with the job's hosts>", "Azure ML"});
  }
  if (const std::string& path = spec.apps[app].python_path; !path.empty()) {
    added.push_back({"PYTHONPATH", "<what it is there>:" + path, "muster"});
  }
  added.push_back({std::string(kGave), "<what muster set for the rank>", "muster"});
  added.push_back({std::string(model::kHeadAbove), "<socket for launchers in the rank>", "muster"});
  if (!spec.launchers.empty()) {
    added.push_back({"MUSTER_LAUNCHERS", "<folder that comes first on PATH>", "muster"});
    added.push_back(
        {"MUSTER_REPORT_FILE", "<file for the report of a launcher in the rank>", "muster"});
  }
  if (serves(spec, {model::Wireup::pmix})) {
    added.push_back({"PMIX_NAMESPACE", "<random>", "Open MPI"});
    added.push_back({"PMIX_SERVER_URI4", "<where its host listens>", "Open MPI"});
  }
  if (serves(spec, {model::Wireup::pmi1, model::Wireup::pmi2})) {
    added.push_back({"PMI_FD", "<descriptor>", "MPICH"});
    added.push_back({"PMI_SIZE", std::to_string(plan.ranks.size()), "MPICH"});
  }
  return added;
}

std::vector<model::Variable> added_for_rank(const model::Plan& plan, const model::JobSpec& spec,
                                            base::Rank rank) {
  const std::string number = std::to_string(rank.value);
  const model::PlannedRank& planned = plan.ranks[rank.value];
  const bool alone = plan.nodes[planned.node.value].ranks.size() == 1;
  std::vector<model::Variable> added;
  if (alone && planned.binding != model::kUnbound) {
    added.push_back({std::string(kCpus), "<its cpus, and those of its host>", "muster"});
  }
  if (serves(spec, {model::Wireup::pmix})) added.push_back({"PMIX_RANK", number, "Open MPI"});
  if (serves(spec, {model::Wireup::pmi1, model::Wireup::pmi2})) {
    added.push_back({"PMI_RANK", number, "MPICH"});
  }
  return added;
}

}  // namespace muster::plan
