// Times planning with binding: ranks on hosts of 64 cores, 100 ranks each, as one line a size.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "plan/plan.hpp"

namespace {

using namespace muster;  // NOLINT: a benchmark's own file
using model::CpuSet;
using model::Level;

constexpr std::uint32_t kPerHost = 100;

// One package, 8 caches, 64 cores of two threads.
model::Topology machine() {
  model::Topology topology;
  for (std::uint32_t i = 0; i < 128; ++i) topology.at(Level::hwthread).push_back(CpuSet::of(i));
  for (std::uint32_t i = 0; i < 128; i += 2) {
    topology.at(Level::core).push_back(CpuSet::range(i, i + 1));
  }
  for (std::uint32_t i = 0; i < 128; i += 16) {
    topology.at(Level::l3cache).push_back(CpuSet::range(i, i + 15));
  }
  for (const Level level : {Level::numa, Level::package, Level::machine}) {
    topology.at(level).push_back(CpuSet::range(0, 127));
  }
  topology.numa_bytes = {1};
  topology.allowed = CpuSet::range(0, 127);
  return topology;
}

void plan_binding(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const model::SharedTopology shared{std::make_shared<const model::Topology>(machine())};
  model::Inventory inventory;
  inventory.source = model::kHostsListed;
  for (std::uint32_t i = 0; i < ranks / kPerHost; ++i) {
    model::Host host;
    host.name = "node" + std::to_string(i);
    host.slots = kPerHost;
    host.topology = shared;
    inventory.hosts.push_back(host);
  }
  model::JobSpec spec;
  spec.apps.front().ranks = ranks;
  spec.mapping.map_by = model::MapBy::object;
  spec.mapping.level = Level::l3cache;
  spec.mapping.rank_given = true;
  spec.mapping.rank_by = model::RankBy::fill;
  spec.mapping.rank_level = Level::l3cache;
  spec.mapping.bind_to = model::BindTo::object;
  spec.mapping.bind_level = Level::hwthread;
  spec.mapping.bind_given = true;
  for (auto _ : state) {
    auto plan = plan::place(spec, inventory);
    if (!plan) state.SkipWithError(plan.error().what.c_str());
    benchmark::DoNotOptimize(plan);
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_mb"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  state.SetComplexityN(state.range(0));
}

BENCHMARK(plan_binding)
    ->RangeMultiplier(10)
    ->Range(10'000, 1'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Complexity(benchmark::oN);

}  // namespace

BENCHMARK_MAIN();
