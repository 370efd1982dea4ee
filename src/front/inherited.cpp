// Reads the variables that a job leaves to its command.
#include "front/inherited.hpp"

#include <algorithm>

#include "base/byte_size.hpp"
#include "base/words.hpp"
#include "front/call.hpp"
#include "option/values.hpp"
#include "spec/quoted.hpp"
#include "spec/sources.hpp"

namespace muster::front {
namespace {

bool keeps_record(const Call& call, Keeps keeps) {
  const auto said = variable(call, kRecord);
  if (keeps == Keeps::never || keeps == Keeps::always) return keeps == Keeps::always;
  if (variable(call, kLaunchers)) return false;
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

bool says_how_to_reach_hosts(const model::CarrierSpec& carrier) {
  const model::CarrierSpec usual;
  return carrier.command != usual.command || carrier.port != usual.port ||
         carrier.identity != usual.identity || carrier.agent_path != usual.agent_path;
}

bool is_fake(const model::HostEntry& host) { return host.name.starts_with("fake-"); }

}  // namespace

std::optional<std::string> inherited_hostfile(const Call& call, const model::JobSpec& spec) {
  if (spec.fake_nodes > 0) return std::nullopt;
  return spec::path_around([&](std::string_view name) { return variable(call, name); });
}

base::Result<void> take_inherited_settings(const Call& call, model::JobSpec& spec) {
  name_hostfile(call, spec);
  if (const auto folders = variable(call, kOutputFolders)) {
    for (std::string& folder : base::split(std::string(*folders), "\n")) {
      spec.folders.push_back(std::move(folder));
    }
  }
  if (variable(call, kLaunchers)) spec.launchers = names_of_launchers();
  spec.fake_hosts = variable(call, kFakeHosts) && std::ranges::all_of(spec.hosts, is_fake);
  const auto above = variable(call, kHeadAbove);
  if (above && !says_how_to_reach_hosts(spec.carrier)) spec.carrier.above = *above;
  const auto words = variable(call, kSshCommand);
  if (!words || words->empty() || spec.carrier.command != model::CarrierSpec{}.command) return {};
  return option::read_words({kSshCommand, *words}).map([&](auto read) {
    spec.carrier.command = std::move(read);
  });
}

std::vector<std::string> unused_allocation(const Call& call, const model::JobSpec& spec) {
  const auto nodes = variable(call, "SLURM_JOB_NODELIST");
  if (!nodes || nodes->empty() || !spec.hosts.empty() || spec.fake_nodes > 0) return {};
  return {
      fmt::format("muster does not use the hosts of this Slurm allocation ({}) yet: all ranks run "
                  "on this machine; --hostfile <(scontrol show hostnames) gives its hosts",
                  *nodes)};
}

base::Result<void> check_budget(const Call& call) {
  const auto budget = variable(call, kRecordsBudget);
  if (budget && !budget->empty() && !base::parse_byte_size(*budget)) {
    return base::fail(base::Fault::usage, "for example 50GB: old records go when a run has ended",
                      "{} must be a size, not {}", kRecordsBudget, spec::quoted(*budget));
  }
  return {};
}

base::Result<void> settle_record(const Call& call, RunRequest& request) {
  const auto said = variable(call, kRecord);
  if (said && *said != "yes" && *said != "no") {
    return base::fail(base::Fault::usage, "MUSTER_RECORDS names the folder of records",
                      "{} must be yes or no, not {}", kRecord, spec::quoted(*said));
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
