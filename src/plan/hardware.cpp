// Hardware: what is left of a topology for one job.
#include "plan/hardware.hpp"

#include <algorithm>

namespace muster::plan {
namespace {

using base::Fault;
using model::CpuSet;
using model::Level;
using model::Mapping;
using model::Topology;

const std::vector<CpuSet>& counted(const Topology& topology, bool hwthread_cpus) {
  const bool threads = hwthread_cpus || topology.at(Level::core).empty();
  return topology.at(threads ? Level::hwthread : Level::core);
}

base::Result<CpuSet> usable(const Topology& topology, const Mapping& mapping,
                            const std::string& host) {
  if (!mapping.cpu_set) return topology.allowed;
  CpuSet named;
  for (const std::uint32_t number : mapping.cpu_set->list()) {
    const CpuSet cpu = numbered_cpu(topology, mapping.hwthread_cpus, number);
    if (!cpu.meets(topology.allowed)) {
      return base::fail(Fault::usage,
                        fmt::format("{} has {} {}s, counted from 0", host,
                                    counted(topology, mapping.hwthread_cpus).size(),
                                    mapping.hwthread_cpus ? "hardware thread" : "core"),
                        "cpu {} of the cpu set {} {}", number,
                        cpu.empty() ? "does not exist on" : "may not be used on", host);
    }
    named |= cpu;
  }
  if (named.empty()) return base::fail(Fault::usage, {}, "the cpu set is empty");
  return named & topology.allowed;
}

}  // namespace

CpuSet numbered_cpu(const Topology& topology, bool hwthread_cpus, std::uint32_t number) {
  const std::vector<CpuSet>& cpus = counted(topology, hwthread_cpus);
  return number < cpus.size() ? cpus[number] : CpuSet();
}

base::Result<Hardware> usable_hardware(const Topology& topology, const Mapping& mapping,
                                       const std::string& host) {
  const auto set = usable(topology, mapping, host);
  if (!set) return tl::unexpected(set.error());
  return hardware_within(topology, *set, mapping);
}

Hardware hardware_within(const Topology& topology, const CpuSet& set, const Mapping& mapping) {
  const std::vector<CpuSet>& cpus = counted(topology, mapping.hwthread_cpus);
  const auto object = [&](const CpuSet& all) {
    const CpuSet left = all & set;
    const auto is_in = [&](const CpuSet& cpu) { return cpu.meets(left); };
    const auto count = std::count_if(cpus.begin(), cpus.end(), is_in);
    return Hardware::Object{left, std::max(1U, static_cast<std::uint32_t>(count))};
  };
  Hardware hardware;
  hardware.whole = object(set);
  for (std::size_t level = 0; level < model::kLevels; ++level) {
    auto& objects = hardware.objects[level];
    for (const CpuSet& all : topology.objects[level]) {
      if (!all.meets(set)) continue;
      Hardware::Object one = object(all);
      if (objects.empty() || objects.back().set != one.set) objects.push_back(std::move(one));
    }
  }
  return hardware;
}

base::Result<const Hardware*> HardwareOfHosts::find(const model::Host& host,
                                                    const Mapping& mapping) {
  if (!host.topology) {
    return base::fail(Fault::usage,
                      "what is mapped by slot or node, and bound to nothing, works without it",
                      "the hardware of {} is not known", host.name);
  }
  auto& known = known_[&*host.topology];
  if (!known) {
    auto made = usable_hardware(*host.topology, mapping, host.name);
    if (!made) return tl::unexpected(made.error());
    known = std::make_unique<const Hardware>(std::move(*made));
  }
  return known.get();
}

}  // namespace muster::plan
