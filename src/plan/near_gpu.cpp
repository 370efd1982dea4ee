// Looks for objects that share cpus with a GPU's NUMA node.
#include "plan/near_gpu.hpp"

#include <algorithm>

namespace muster::plan {
namespace {

using model::CpuSet;
using model::Level;
using model::NearGpu;

// A GPU among those of its node.
struct Neighbours {
  std::size_t own = 0;
  std::size_t all = 0;
};

Neighbours neighbours(const std::vector<CpuSet>& near, std::size_t gpu) {
  Neighbours found;
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (near[i] != near[gpu]) continue;
    found.own += i < gpu ? 1 : 0;
    ++found.all;
  }
  return found;
}

// What each object of a level has of the node, by its first cpu.
std::vector<CpuSet> parts_at(Level level, const Hardware& hardware, const CpuSet& node) {
  std::vector<CpuSet> parts;
  for (const Hardware::Object& object : hardware.at(level)) {
    if (object.set.meets(node)) parts.push_back(object.set & node);
  }
  std::ranges::sort(parts, {}, [](const CpuSet& part) { return part.list().front(); });
  return parts;
}

CpuSet whole_socket(const Hardware& hardware, const CpuSet& node) {
  CpuSet cpus = node;
  for (const Hardware::Object& socket : hardware.at(Level::package)) {
    if (socket.set.meets(node)) cpus |= socket.set;
  }
  return cpus;
}

base::Result<CpuSet> own_cores(const Hardware& hardware, const std::string& host,
                               const CpuSet& node, const Neighbours& gpu) {
  const std::vector<CpuSet> cores = parts_at(Level::core, hardware, node);
  if (cores.size() < gpu.all) {
    return base::fail(base::Fault::usage, "", "{} has {} core{} near {} GPUs, too few for each",
                      host, cores.size(), cores.size() == 1 ? "" : "s", gpu.all);
  }
  const std::size_t each = cores.size() / gpu.all;
  const std::size_t more = cores.size() % gpu.all;
  const std::size_t first = gpu.own * each + std::min(gpu.own, more);
  CpuSet cpus;
  for (std::size_t i = first; i < first + each + (gpu.own < more ? 1 : 0); ++i) cpus |= cores[i];
  return cpus;
}

// Where no cache is known, as on some virtual machines, the node.
CpuSet one_cache(const Hardware& hardware, const CpuSet& node, const Neighbours& gpu) {
  for (const Level level : {Level::l3cache, Level::l2cache, Level::l1cache}) {
    std::vector<CpuSet> caches = parts_at(level, hardware, node);
    if (caches.empty()) continue;
    std::ranges::stable_sort(caches, std::greater(), [](const CpuSet& one) { return one.count(); });
    return caches[gpu.own % caches.size()];
  }
  return node;
}

}  // namespace

base::Result<std::vector<CpuSet>> near_gpus(NearGpu what, const Hardware& hardware,
                                            const std::string& host,
                                            const std::vector<CpuSet>& near) {
  std::vector<CpuSet> sets = near;
  for (std::size_t gpu = 0; gpu < near.size(); ++gpu) {
    const Neighbours place = neighbours(near, gpu);
    if (what == NearGpu::socket) sets[gpu] = whole_socket(hardware, near[gpu]);
    if (what == NearGpu::cache) sets[gpu] = one_cache(hardware, near[gpu], place);
    if (what != NearGpu::cores) continue;
    auto cores = own_cores(hardware, host, near[gpu], place);
    if (!cores) return tl::unexpected(cores.error());
    sets[gpu] = std::move(*cores);
  }
  return sets;
}

}  // namespace muster::plan
