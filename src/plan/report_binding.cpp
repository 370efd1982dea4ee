// report_binding: words and map of a set of cpus.
#include "plan/report_binding.hpp"

#include <fmt/format.h>

namespace muster::plan {
namespace {

using model::CpuSet;
using model::Level;
using model::Topology;

// Cores, or hardware threads where there are no cores.
const std::vector<CpuSet>& cores_of(const Topology& topology) {
  const auto& cores = topology.at(Level::core);
  return cores.empty() ? topology.at(Level::hwthread) : cores;
}

// Packages, or the whole machine where there are none.
const std::vector<CpuSet>& packages_of(const Topology& topology) {
  const auto& packages = topology.at(Level::package);
  return packages.empty() ? topology.at(Level::machine) : packages;
}

// Which threads of a core are in the set, by their number within the core.
CpuSet threads_in(const Topology& topology, const CpuSet& core, const CpuSet& set) {
  CpuSet numbers;
  std::uint32_t number = 0;
  for (const CpuSet& thread : topology.at(Level::hwthread)) {
    if (!thread.within(core)) continue;
    if (thread.meets(set)) numbers.add(number);
    ++number;
  }
  return numbers;
}

std::string words(const Topology& topology, const CpuSet& set) {
  std::string text;
  for (std::size_t p = 0; p < packages_of(topology).size(); ++p) {
    const CpuSet& package = packages_of(topology)[p];
    for (std::size_t c = 0; c < cores_of(topology).size(); ++c) {
      const CpuSet& core = cores_of(topology)[c];
      if (!core.within(package) || !core.meets(set)) continue;
      if (!text.empty()) text += ", ";
      text += fmt::format("socket {}[core {}[hwt {}]]", p, c,
                          model::to_string(threads_in(topology, core, set)));
    }
  }
  return text;
}

std::string map_of_core(const Topology& topology, const CpuSet& core, const CpuSet& set) {
  std::string text;
  for (const CpuSet& thread : topology.at(Level::hwthread)) {
    if (thread.within(core)) text += thread.meets(set) ? 'B' : '.';
  }
  return text;
}

std::string map(const Topology& topology, const CpuSet& set) {
  std::string text;
  for (const CpuSet& package : packages_of(topology)) {
    text += '[';
    for (const CpuSet& core : cores_of(topology)) {
      if (!core.within(package)) continue;
      if (text.back() != '[') text += '/';
      text += map_of_core(topology, core, set);
    }
    text += ']';
  }
  return text;
}

}  // namespace

std::string report_binding(const Topology& topology, const CpuSet& set) {
  if (set.empty() || topology.allowed.within(set)) {
    return "is not bound (or bound to all available processors)";
  }
  return words(topology, set) + ": " + map(topology, set);
}

}  // namespace muster::plan
