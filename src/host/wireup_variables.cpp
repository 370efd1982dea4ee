// The user's own settings win where PMIx's variables yield.
#include "host/wireup_variables.hpp"

#include <vector>

#include "host/pmi_tasks.hpp"
#include "host/pmix_tasks.hpp"
#include "plan/surroundings.hpp"

namespace muster::host {

void add_wireup_variables(std::map<std::string, std::string>& environment, const PmiTasks* pmi,
                          const PmixTasks* pmix, base::Rank rank) {
  std::vector<PmixTasks::Variable> variables;
  if (pmix != nullptr) variables = pmix->shared_variables(rank);
  for (const wire::NameValue& one :
       pmi != nullptr ? pmi->shared_variables(rank) : std::vector<wire::NameValue>{}) {
    variables.push_back({one.name, one.value, false});
  }
  std::vector<std::string> ours;
  for (const PmixTasks::Variable& one : variables) {
    if (one.yields && environment.contains(one.name)) continue;
    environment[one.name] = one.value;
    ours.push_back(one.name + "=" + one.value);
  }
  environment[std::string(plan::kGave)] += plan::fingerprints(ours);
}

}  // namespace muster::host
