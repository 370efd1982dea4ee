// Reads the variables that a job leaves to its command.
#include "front/inherited.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include "base/byte_size.hpp"
#include "base/words.hpp"
#include "front/call.hpp"
#include "front/environment_options.hpp"
#include "front/reach_options.hpp"
#include "front/targets.hpp"
#include "model/carrier_flags.hpp"
#include "model/carriers.hpp"
#include "model/head_above.hpp"
#include "option/values.hpp"
#include "spec/in_quotes.hpp"
#include "spec/sources.hpp"
#include "spec/step_place.hpp"

namespace muster::front {
namespace {

bool keeps_record(const Call& call, Keeps keeps) {
  const auto said = variable(call, kRecord);
  if (keeps == Keeps::never || keeps == Keeps::always) return keeps == Keeps::always;
  const bool own_runs = variable(call, spec::kStartsRanks) == spec::kRunsOfTheirOwn;
  if (variable(call, kLaunchers) && !own_runs) return false;
  return keeps == Keeps::usually ? said != "no" : said == "yes";
}

// The file lies where only this job finds it: it is called what people call it.
void name_hostfile(const Call& call, model::JobSpec& spec) {
  const auto path = variable(call, spec::kHostfile);
  if (!path || path->empty()) return;
  const std::string name = "$" + std::string(spec::kHostfile);
  if (spec.source_name == *path) spec.source_name = name;
  for (model::HostEntry& host : spec.hosts) {
    if (host.place.source == *path) host.place.source = name;
  }
}

bool is_said(const SaidReach& said, Reach which) {
  return std::ranges::count(said, reach_setting(which).text.names) > 0;
}

// "ssh" is another way, too, where somebody has said it.
bool says_another_way(const SaidReach& said, const model::CarrierSpec& carrier) {
  const model::CarrierSpec usual;
  return is_said(said, Reach::ssh_command) || carrier.command != usual.command ||
         carrier.port != usual.port || carrier.identity != usual.identity;
}

bool says_how_to_reach_hosts(const SaidReach& said, const model::CarrierSpec& carrier) {
  return says_another_way(said, carrier) || !carrier.agent_path.empty();
}

// Slurm 23.11 and later tell launchers so (srun.1): a step that takes nothing, and sees all of its
// host. Earlier ones share what others hold with --overlap.
bool knows_external_launchers(const Call& call) {
  for (const char* name : {"OMPI_MCA_plm_slurm_args", "PRTE_MCA_plm_slurm_args",
                           "HYDRA_LAUNCHER_EXTRA_ARGS", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS"}) {
    if (variable(call, name).value_or("").find(kExternalLauncher) != std::string_view::npos)
      return true;
  }
  return false;
}

using Around = base::Result<std::optional<spec::HostsFound>>;

// Whether all that were named are the job's, by the names that it gives them; then they get to know
// their components.
bool are_of_job(const Around& around, std::vector<model::HostEntry>& hosts) {
  if (!around || !*around || hosts.empty()) return false;
  std::map<std::string_view, std::optional<std::uint32_t>> components;
  for (const model::HostEntry& one : (*around)->hosts) components.emplace(one.name, one.component);
  const bool all = std::ranges::all_of(hosts, [&](const model::HostEntry& one) {
    return one.user.empty() && one.port == 0 && components.contains(one.name);
  });
  if (!all) return false;
  for (model::HostEntry& one : hosts) one.component = components.at(one.name);
  return true;
}

// Below Flux its own hosts count, wherever it was started itself.
bool are_allocated(const Call& call, std::vector<model::HostEntry>& hosts) {
  if (!variable(call, "FLUX_URI").value_or("").empty()) return false;
  return are_of_job(spec::allocation_around(
                        {.variable = [&](std::string_view name) { return variable(call, name); }}),
                    hosts);
}

// Flux is asked only where hosts were named.
bool are_of_flux(const Call& call, model::JobSpec& spec) {
  if (spec.source == model::kHostsOfFlux) return true;
  if (spec.hosts.empty()) return false;
  return are_of_job(spec::flux_job_around(
                        {.variable = [&](std::string_view name) { return variable(call, name); },
                         .ask = call.ask}),
                    spec.hosts);
}

void settle_steps(const Call& call, const SaidReach& said, model::JobSpec& spec) {
  model::Carrier& carrier = spec.source.carrier;
  std::vector<std::string>& words = spec.carrier.step_words;
  if (words.empty() || says_another_way(said, spec.carrier)) {
    if (carrier == model::kStep) carrier = model::kOpened;
    return;
  }
  if (carrier == model::kOpened && are_allocated(call, spec.hosts)) carrier = model::kStep;
  const bool is_usual = words == model::CarrierSpec{}.step_words;
  if (is_usual && knows_external_launchers(call)) words = {std::string(kExternalLauncher)};
}

std::string_view first_label(std::string_view name) { return name.substr(0, name.find('.')); }

// Whether all that were named are hosts of the batch job around, or this machine. "node1" and
// "node1.example" are one host.
bool are_granted(const Call& call, const std::vector<model::HostEntry>& hosts) {
  constexpr std::array<spec::FindHosts, 2> kJobs = {spec::allocation_around,
                                                    spec::batch_job_around};
  const auto around =
      spec::find_hosts({.read_file = call.read_file,
                        .read_around = call.read_around,
                        .variable = [&](std::string_view name) { return variable(call, name); }},
                       kJobs);
  if (!around || around->source != model::kHostsGranted || hosts.empty()) return false;
  std::unordered_set<std::string_view> names = {"localhost"};
  std::unordered_set<std::string_view> labels;
  for (const model::HostEntry& one : around->hosts) {
    names.insert(one.name);
    labels.insert(first_label(one.name));
  }
  return std::ranges::all_of(hosts, [&](const model::HostEntry& one) {
    const bool is_known = names.contains(one.name) || labels.contains(one.name) ||
                          names.contains(first_label(one.name));
    return is_known && one.user.empty() && one.port == 0;
  });
}

std::optional<spec::BatchReach> reach_of(const Call& call, model::JobSpec& spec) {
  if (are_of_flux(call, spec)) return spec::flux_reach();
  if (spec.source != model::kHostsGranted && !are_granted(call, spec.hosts)) return std::nullopt;
  return spec::batch_job_reach([&](std::string_view name) { return variable(call, name); });
}

// As the batch system around has it; it keeps an eye on what it has started itself.
void settle_reach(const Call& call, model::JobSpec& spec) {
  const bool is_open = spec.source.carrier == model::kOpened && !spec.carrier.step_words.empty();
  if (!is_open) return;
  auto reach = reach_of(call, spec);
  if (!reach) return;
  spec.carrier.by_component = reach->by_component;
  if (!reach->command.empty()) spec.carrier.command = std::move(reach->command);
  spec.carrier.wrapper = std::move(reach->wrapper);
}

// What is said about ssh and the command does not take is refused: without it, another server or
// another key might do. Variables are what is usual, and count where they can.
base::Result<void> check_flags(const SaidReach& said, const model::JobSpec& spec) {
  const std::vector<std::string>& command = spec.carrier.command;
  if (spec.source.carrier != model::kOpened || command.empty()) return {};
  const model::CarrierFlags flags = model::carrier_flags(command);
  const auto refused = [&](const base::Place& place, std::string_view what) {
    return base::fail_at(
        place, base::Fault::usage, "give it to that command in its own words, or leave it out",
        "{} is not told {}: that is for ssh and its like", model::carrier_name(command), what);
  };
  const auto place_of = [](Reach which) {
    return base::Place{std::string(reach_setting(which).text.names), 0, 0};
  };
  if (flags.identity.empty() && is_said(said, Reach::ssh_identity)) {
    return refused(place_of(Reach::ssh_identity), "a key");
  }
  if (!flags.port.empty()) return {};
  if (is_said(said, Reach::ssh_port)) return refused(place_of(Reach::ssh_port), "a port");
  const auto own =
      std::ranges::find_if(spec.hosts, [](const model::HostEntry& host) { return host.port != 0; });
  return own == spec.hosts.end() ? base::Result<void>() : refused(own->place, "a port");
}

bool is_fake(const model::HostEntry& host) { return host.name.starts_with("fake-"); }

// `defaults`: those of muster.yml.
base::Result<void> settle(const Call& call, const job::Targets& defaults, const SaidReach& said,
                          model::JobSpec& spec) {
  if (auto taken = take_environment_rule(call, spec); !taken) return taken;
  name_hostfile(call, spec);
  if (const auto folders = variable(call, kOutputFolders)) {
    for (std::string& folder : base::split(std::string(*folders), "\n")) {
      spec.folders.push_back(std::move(folder));
    }
  }
  if (variable(call, kLaunchers)) spec.launchers = names_of_launchers();
  spec.fake_hosts = variable(call, kFakeHosts) && std::ranges::all_of(spec.hosts, is_fake);
  settle_steps(call, said, spec);
  const auto above = variable(call, model::kHeadAbove);
  if (above && !says_how_to_reach_hosts(said, spec.carrier)) spec.carrier.above = *above;
  const bool is_said_otherwise = says_another_way(said, spec.carrier);
  if (auto taken = take_usual_reach(call, defaults, said, spec); !taken) return taken;
  const bool is_open =
      spec.carrier.command == model::CarrierSpec{}.command && !is_said(said, Reach::ssh_command);
  const auto taken = is_open ? take_usual(call, defaults, reach_setting(Reach::ssh_command), spec)
                             : base::Result<bool>(false);
  if (!taken) return tl::unexpected(taken.error());
  if (!*taken && !is_said_otherwise) settle_reach(call, spec);
  return check_flags(said, spec);
}

}  // namespace

std::optional<std::string> inherited_hostfile(const Call& call, const model::JobSpec& spec) {
  if (spec.fake_nodes > 0) return std::nullopt;
  return spec::path_around([&](std::string_view name) { return variable(call, name); });
}

base::Result<void> take_inherited_settings(const Call& call, const SaidReach& said,
                                           model::JobSpec& spec, const std::string& beside) {
  return run_defaults(call, beside.empty() ? call.current_folder : beside)
      .and_then([&](const job::Targets& defaults) { return settle(call, defaults, said, spec); });
}

base::Result<void> take_allocation(const Call& call, RunRequest& request) {
  auto found = spec::allocation_around(
      {.variable = [&](std::string_view name) { return variable(call, name); }});
  if (!found) return tl::unexpected(found.error());
  if (!*found) {
    return base::fail(base::Fault::internal, {}, "Slurm does not say which hosts it has given");
  }
  spec::take_hosts(request.spec, **std::move(found));
  return settle(call, request.defaults, request.said_reach, request.spec);
}

base::Result<std::optional<model::StepPlace>> place_in_step(
    const Call& call, const model::HostSource& source, const std::vector<model::HostEntry>& hosts) {
  const std::string_view own = variable(call, "SLURMD_NODENAME").value_or("");
  const bool are_named = std::ranges::any_of(hosts, [&](const model::HostEntry& one) {
    return one.name != "localhost" && one.name != own && !is_fake(one);
  });
  if (!source.of_batch_job && !are_named) return std::nullopt;
  return spec::step_place([&](std::string_view name) { return variable(call, name); });
}

base::Result<void> check_budget(const Call& call) {
  const std::pair<std::string_view, const char*> budgets[] = {
      {kRecordsBudget, "for example 50GB: old records go when a run has ended"},
      {kCacheBudget, "for example 5GB: what was used longest ago goes when there is more"}};
  for (const auto& [name, example] : budgets) {
    const auto budget = variable(call, name);
    if (!budget || budget->empty() || base::parse_budget(*budget)) continue;
    return base::fail(base::Fault::usage, example, "{} must be a size with its unit, not {}", name,
                      spec::in_quotes(*budget));
  }
  return {};
}

base::Result<void> settle_record(const Call& call, RunRequest& request) {
  const auto said = variable(call, kRecord);
  if (said && *said != "yes" && *said != "no") {
    return base::fail(base::Fault::usage, "MUSTER_RECORDS names the folder of records",
                      "{} must be yes or no, not {}", kRecord, spec::in_quotes(*said));
  }
  if (!keeps_record(call, request.keeps)) {
    request.record.reset();
    return {};
  }
  if (!request.record) request.record.emplace();
  request.record->folder = call.record_folder;
  return {};
}

}  // namespace muster::front
