// An errand on all hosts; its answers become variables of the ranks.
#include "cli/packages.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "blobs/files.hpp"
#include "cli/desk.hpp"
#include "cli/readiness.hpp"
#include "cli/speak.hpp"
#include "cli/travel.hpp"
#include "plan/software.hpp"
#include "store/files.hpp"

namespace muster::cli {
namespace {

model::RunReport fault_report(base::Error error) {
  model::RunReport report;
  report.cause = model::Cause::fault;
  report.error = std::move(error);
  return report;
}

bool runs_here(const Prospect& job) {
  return std::ranges::any_of(job.plan.nodes, [](const model::PlannedNode& node) {
    return node.host.carrier.same_machine;
  });
}

bool is_for_tools(const std::string& name) {
  constexpr std::array<std::string_view, 5> kBegins = {"PIP_", "CONDA_", "MAMBA_", "REGISTRY_",
                                                       "DOCKER_"};
  constexpr std::array<std::string_view, 4> kNames = {"SSL_CERT_FILE", "SSL_CERT_DIR",
                                                      "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"};
  return std::ranges::any_of(kBegins, [&](auto one) { return name.starts_with(one); }) ||
         std::ranges::count(kNames, name) > 0 || name.ends_with("_proxy") ||
         name.ends_with("_PROXY");
}

// All hosts keep it in folders of the same name, or no variable could tell.
std::optional<base::Error> differing(const std::vector<std::string>& ready,
                                     const std::vector<model::Host>& hosts) {
  for (std::size_t i = 1; i < ready.size(); ++i) {
    if (ready[i] == ready[0]) continue;
    return base::Error{
        base::Fault::cannot_start,
        fmt::format("the hosts have made different environments: {} has {}, and {} has {}",
                    hosts[0].name, ready[0], hosts[i].name, ready[i]),
        "they need the same Python or conda, and the same XDG_CACHE_HOME or HOME",
        {}};
  }
  return std::nullopt;
}

void add_exports(const std::string& ready, model::JobSpec& spec) {
  const std::size_t blank = ready.find(' ');
  const std::string folder = ready.substr(std::min(blank, ready.size() - 1) + 1);
  const bool is_conda = ready.starts_with("conda ");
  for (model::App& app : spec.apps) {
    app.exports.push_back({is_conda ? "CONDA_PREFIX" : "VIRTUAL_ENV", folder});
    app.exports.push_back({std::string(plan::kSoftware), folder});
  }
}

}  // namespace

std::vector<model::EnvSetting> settings_of_tools(const model::JobSpec& spec) {
  std::vector<model::EnvSetting> settings;
  for (const model::EnvSetting& one : spec.apps.front().exports) {
    if (is_for_tools(one.name)) settings.push_back(one);
  }
  return settings;
}

std::vector<model::Host> hosts_of(const Prospect& job, const std::optional<Prospect>& inner) {
  std::vector<model::Host> hosts;
  if (runs_here(job) || (inner && runs_here(*inner))) {
    model::Host here;
    here.name = "this machine";
    hosts.push_back(std::move(here));
  }
  const auto others = hosts_elsewhere(job, inner);
  if (others) hosts.insert(hosts.end(), others->begin(), others->end());
  return hosts;
}

std::optional<model::RunReport> give_packages(const std::string& packages, Prospect& job,
                                              const std::optional<Prospect>& inner,
                                              const Invocation& invocation) {
  const auto began = std::chrono::steady_clock::now();
  const std::vector<model::Host> hosts = hosts_of(job, inner);
  const Desk desk;
  const std::string asked = desk.path() + "/packages";
  if (desk.path().empty() || !store::write_file(asked, packages)) {
    return fault_report(
        {base::Fault::output, "cannot write to the folder of temporary files", {}, {}});
  }
  const process::UniqueFd input = blobs::open_regular(asked);
  Errand errand{{"packages"}, hosts, input.get(), desk.path() + "/answers"};
  errand.exports = settings_of_tools(job.spec);
  const MadeReady made = make_ready(errand, "packages", job.spec, invocation);
  const model::RunReport& report = made.report;
  if (report.cause != model::Cause::completed || !report.same_hosts.empty()) return report;
  if (auto error = differing(made.ready, hosts)) return fault_report(std::move(*error));
  add_exports(made.ready.front(), job.spec);
  auto again = prospect(job.spec, job.inventory, invocation.environment);
  if (!again) return fault_report(std::move(again.error()));
  job.kept = std::move(again->kept);
  if (job.spec.verbose) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    note(fmt::format("packages: {} on {} host{}, after {:.1f} s", made.ready.front(), hosts.size(),
                     hosts.size() == 1 ? "" : "s", took.count()));
  }
  return std::nullopt;
}

}  // namespace muster::cli
