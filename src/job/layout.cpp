// Turns the counts of a job file into nodes and processes.
#include "job/layout.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "job/head_launcher.hpp"

namespace muster::job {
namespace {

std::uint32_t number(const std::optional<Count>& count, std::uint32_t otherwise) {
  return count ? count->number : otherwise;
}

// The slots of a node are said, or follow from its GPUs, or are one.
std::optional<std::uint32_t> said_slots(const JobFile& job, const Layout& layout) {
  if (job.slots) return job.slots->number;
  if (job.per_node || job.processes) return layout.per_node;
  if (job.limits.gpu && job.limits.gpu->number > 0) return job.limits.gpu->number;
  return std::nullopt;
}

void set_slots(const JobFile& job, std::span<const InstanceType> known, Layout& layout) {
  std::optional<std::uint32_t> slots = said_slots(job, layout);
  if (!slots && job.instance_type) slots = gpus_of(job.instance_type->text, known);
  layout.guesses_slots = !slots;
  layout.slots = std::max(1U, slots.value_or(1));
}

Layout equal_processes(const JobFile& job) {
  Layout layout;
  layout.nodes = number(job.nodes, 1);
  layout.per_node = number(job.per_node, 1);
  if (job.processes) layout.per_node = job.processes->number / layout.nodes;
  layout.parts.push_back({"", layout.nodes * layout.per_node, nullptr});
  return layout;
}

void spread(std::uint32_t processes, std::uint32_t nodes, Layout& layout) {
  layout.nodes = std::min(nodes, processes);
  layout.per_node = (processes + layout.nodes - 1) / layout.nodes;
  layout.shares = layout.nodes < processes;
}

// Of a job with roles; a draft has other counts below `distributed`.
std::optional<Count> said_nodes(const JobFile& job) {
  return job.nodes ? job.nodes : job.instances;
}

// Workers first, as in TF_CONFIG; each has a node of its own unless the job says how many there
// are.
Layout roles(const JobFile& job) {
  const std::uint32_t workers = number(job.workers.count, number(job.nodes, 1));
  const std::uint32_t servers = number(job.servers.count, 0);
  Layout layout;
  spread(workers + servers, number(said_nodes(job), workers + servers), layout);
  layout.parts.push_back({"worker", workers, &job.workers});
  if (servers > 0) layout.parts.push_back({"ps", servers, &job.servers});
  return layout;
}

struct Size {
  std::string_view name;  // without "Standard_"
  std::uint32_t gpus;
};

// learn.microsoft.com: sizes for virtual machines in Azure, GPU accelerated.
constexpr Size kSizes[] = {
    {"NC6", 1},
    {"NC12", 2},
    {"NC24", 4},
    {"NC24r", 4},
    {"NC6s_v2", 1},
    {"NC12s_v2", 2},
    {"NC24s_v2", 4},
    {"NC24rs_v2", 4},
    {"NC6s_v3", 1},
    {"NC12s_v3", 2},
    {"NC24s_v3", 4},
    {"NC24rs_v3", 4},
    {"NC4as_T4_v3", 1},
    {"NC8as_T4_v3", 1},
    {"NC16as_T4_v3", 1},
    {"NC64as_T4_v3", 4},
    {"NC24ads_A100_v4", 1},
    {"NC48ads_A100_v4", 2},
    {"NC96ads_A100_v4", 4},
    {"ND6s", 1},
    {"ND12s", 2},
    {"ND24s", 4},
    {"ND24rs", 4},
    {"ND40rs_v2", 8},
    {"ND96asr_v4", 8},
    {"ND96amsr_A100_v4", 8},
    {"ND96isr_H100_v5", 8},
    {"NV6", 1},
    {"NV12", 2},
    {"NV24", 4},
};

// A size's name in lower case, without "Standard_".
std::string bare(std::string_view instance_type) {
  constexpr std::string_view kPrefix = "standard_";
  std::string name;
  for (const char c : instance_type) {
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

}  // namespace

Layout layout_of(const JobFile& job, std::span<const InstanceType> known) {
  if (job.frameworks.empty()) {
    Layout layout;
    layout.parts.push_back({});
    return layout;
  }
  const Framework framework = job.frameworks.front().framework;
  if (framework == Framework::tensorflow) return roles(job);
  Layout layout = equal_processes(job);
  const bool is_draft = job.dialect == Dialect::draft && framework == Framework::mpi;
  if (!is_draft && head_launcher(job).empty()) return layout;
  layout.launches = true;
  set_slots(job, known, layout);
  layout.per_node = layout.parts.front().processes = 1;
  return layout;
}

bool share_nodes(const JobFile& job, std::size_t has, Layout& layout) {
  if (said_nodes(job) || layout.parts.size() < 2 || has >= layout.nodes) return false;
  const std::uint32_t workers = layout.parts.front().processes;
  const std::uint32_t servers = layout.parts.back().processes;
  if (has < workers) return false;
  spread(workers + servers, static_cast<std::uint32_t>(has), layout);
  return true;
}

void resize(JobFile& job, const Counts& counts, Complaints& complaints) {
  if (!counts.nodes && !counts.per_node) return;
  const bool equal =
      !job.frameworks.empty() && job.frameworks.front().framework != Framework::tensorflow;
  if (!equal) {
    return complaints.add({}, "--nodes and --per-node are for jobs of type mpi or pytorch",
                          "this one has another distribution, or none");
  }
  const Mark at = job.frameworks.front().mark;
  if (counts.nodes) job.nodes = Count{*counts.nodes, at};
  if (counts.per_node) {
    job.per_node = Count{*counts.per_node, at};
    job.processes.reset();
  } else if (job.processes && job.processes->number % *counts.nodes != 0) {
    complaints.add(at,
                   fmt::format("{} processes cannot be divided evenly among {} nodes",
                               job.processes->number, *counts.nodes),
                   "give --per-node, too");
  }
}

const InstanceType* find_type(std::string_view instance_type, std::span<const InstanceType> known) {
  const std::string name = bare(instance_type);
  const auto found =
      std::ranges::find(known, name, [](const InstanceType& one) { return bare(one.name); });
  return found == known.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> gpus_of(std::string_view instance_type,
                                     std::span<const InstanceType> known) {
  const std::string name = bare(instance_type);
  if (const InstanceType* one = find_type(instance_type, known)) return one->gpus;
  for (const Size& one : kSizes) {
    if (bare(one.name) == name) return one.gpus;
  }
  return std::nullopt;
}

}  // namespace muster::job
