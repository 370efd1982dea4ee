// A survey of the hosts, its answers written into the inventory.
#include "cli/ask_hosts.hpp"

#include "cli/head_options.hpp"

namespace muster::cli {

model::RunReport ask_hosts(const model::JobSpec& spec, model::Inventory& inventory,
                           const Invocation& invocation) {
  head::HeadOptions options = head_options(invocation);
  options.input.spec = spec;
  options.input.spec.container.reset();  // what is asked for is the host's own
  std::vector<model::Host*> asked;
  for (model::Host& host : inventory.hosts) {
    if (!host.carrier.opened || host.carrier.same_machine) continue;
    asked.push_back(&host);
    options.input.plan.nodes.push_back({host, {}});
  }
  if (asked.empty()) return {};
  const head::Survey survey = invocation.heads.survey(std::move(options));
  if (survey.report.cause != model::Cause::completed) return survey.report;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (!survey.facts[i]) continue;
    asked[i]->topology = survey.facts[i]->topology;
    asked[i]->cpus = survey.facts[i]->cpus;
  }
  return survey.report;
}

}  // namespace muster::cli
