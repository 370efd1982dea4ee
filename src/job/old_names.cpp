// Two small tables; the first row that fits where the name stands says what to write.
#include "job/old_names.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "base/words.hpp"

namespace muster::job {
namespace {

struct OldName {
  std::string_view name;
  std::string_view key;    // that the map must know
  std::string_view below;  // and below it; or empty
  std::string_view now;
};

constexpr OldName kOldNames[] = {
    {"mpi", "distribution", "process_count_per_instance",
     "distribution: {type: mpi, process_count_per_instance: N}"},
    {"mpi", "distribution", "process_count_per_node",
     "distribution: {type: mpi, process_count_per_node: N}"},
    {"mpi", "distribution", "", "distribution: {type: mpi}"},
    {"pytorch", "distribution", "", "distribution: {type: pytorch}"},
    {"tensorflow", "distribution", "", "distribution: {type: tensorflow, worker_count: N}"},
    {"hyperdrive", "search_space", "", "search_space, sampling_algorithm and objective"},
    {"target", "compute", "", "compute: TARGET"},
    {"target", "runsettings", "target", "runsettings: {target: TARGET}"},
    {"compute_target", "compute", "", "compute: TARGET"},
    {"compute_target", "runsettings", "target", "runsettings: {target: TARGET}"},
    {"script", "command", "", "command: python SCRIPT ARGUMENTS"},
    {"script", "trial", "command", "trial: {command: python SCRIPT ARGUMENTS}"},
    {"arguments", "command", "", "command: python SCRIPT ARGUMENTS"},
    {"arguments", "trial", "command", "trial: {command: python SCRIPT ARGUMENTS}"},
    {"docker", "environment", "", "environment: {image: IMAGE}"},
    {"node_count", "resources", "instance_count", "resources: {instance_count: N}"},
    {"node_count", "distribution", "node_count", "distribution: {node_count: N}"},
    {"node_count", "runsettings", "", "runsettings: {resource_layout: {node_count: N}}"},
    {"run_config", "command", "", "its command, environment, compute and distribution here"},
};

// Of the SDKs' classes; in lower case.
struct OldClass {
  std::string_view name;
  std::string_view among;  // one of the types that may be chosen
  std::string_view now;
};

constexpr OldClass kOldClasses[] = {
    {"hyperdriveconfig", "command",
     "type: sweep, with trial, search_space, sampling_algorithm and objective"},
    {"mpiconfiguration", "command", "type: command, and distribution: {type: mpi}"},
    {"pytorchconfiguration", "command", "type: command, and distribution: {type: pytorch}"},
    {"tensorflowconfiguration", "command", "type: command, and distribution: {type: tensorflow}"},
    {"mpiconfiguration", "mpi", "type: mpi"},
    {"pytorchconfiguration", "pytorch", "type: pytorch"},
    {"tensorflowconfiguration", "tensorflow", "type: tensorflow"},
};

std::string advice(std::string_view now) { return fmt::format("write {} instead", now); }

}  // namespace

std::optional<WrittenNow> written_now(std::string_view old, std::string_view path,
                                      const HasKey& has) {
  for (const OldName& one : kOldNames) {
    if (one.name != old || !has(one.key, one.below)) continue;
    return WrittenNow{advice(one.now), std::string(one.key)};
  }
  if (old == "node_count" && path.ends_with("distribution.")) {
    return WrittenNow{advice("resources: {instance_count: N}, beside distribution,"), {}};
  }
  const bool is_root = path.empty();
  if (old != "hyperdrive" || !is_root) return std::nullopt;
  return WrittenNow{advice("a file of its own with type: sweep, whose trial is this job,"), {}};
}

std::string type_written_now(std::string_view old, std::string_view choices) {
  const std::string name = base::lower(old);
  const std::vector<std::string> words = base::split(choices, " ");
  for (const OldClass& one : kOldClasses) {
    if (one.name == name && std::ranges::count(words, one.among) > 0) return advice(one.now);
  }
  return "";
}

}  // namespace muster::job
