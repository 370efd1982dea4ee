// From a host's devices to the cpus of its ranks.
#include "plan/gpu_binding.hpp"

#include <algorithm>
#include <optional>

#include "plan/devices.hpp"

namespace muster::plan {
namespace {

using base::Fault;
using model::BindTo;
using model::CpuSet;
using model::Devices;
using model::Topology;

constexpr std::string_view kIntels = "ZE_AFFINITY_MASK";

tl::unexpected<base::Error> no_place(std::string what) {
  return base::fail(Fault::usage, "", "{}", what);
}

std::vector<std::string> listed_ids(std::string_view list) {
  std::vector<std::string> ids;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) ids.emplace_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return ids;
}

// All of a host, by maker.
std::vector<Devices> makers_of(const Topology& topology) {
  std::vector<Devices> makers;
  for (const model::NearDevice& device : topology.devices) {
    if (!device.is_accelerator()) continue;
    auto maker = std::ranges::find(makers, device.kind, &Devices::variable);
    if (maker == makers.end()) maker = makers.insert(maker, {device.kind, {}});
    maker->ids.push_back(device.name);
  }
  return makers;
}

// What limits ranks by this variable: the host's own list, or what the user sets for them, which
// may be nothing. None: they see all.
std::optional<std::string> limit_of(const model::JobSpec& spec, const model::Host& host,
                                    const std::string& variable) {
  if (!host.visible.empty() && variable == "CUDA_VISIBLE_DEVICES") return host.visible;
  for (const model::App& app : spec.apps) {
    const auto said = std::ranges::find(app.exports, variable, &model::EnvSetting::name);
    if (said != app.exports.end() && said->value) return said->value;
  }
  return std::nullopt;
}

const Devices* most_of_makers(const std::vector<Devices>& makers) {
  const Devices* most = nullptr;
  for (const Devices& one : makers) {
    const bool is_better = most == nullptr || most->variable == kIntels ||
                           (one.variable != kIntels && one.ids.size() > most->ids.size());
    if (is_better && !one.ids.empty()) most = &one;
  }
  return most;
}

base::Result<CpuSet> near_one(const model::Host& host, const CpuSet& usable,
                              std::string_view variable, const std::string& id) {
  const auto& known = host.topology->devices;
  const auto device = std::ranges::find_if(
      known, [&](const model::NearDevice& one) { return one.kind == variable && one.name == id; });
  if (device == known.end() || device->cpus.empty()) {
    return no_place(fmt::format("{} does not tell which cores are near its GPU {}", host.name, id));
  }
  const CpuSet near = device->cpus & usable;
  if (!near.empty()) return near;
  return no_place(fmt::format("no core near GPU {} of {} may be used", id, host.name));
}

// The cpus near the devices of local ranks 0, 1 and so on, `each` devices to a rank; ranks beyond
// the last set start again with the first.
base::Result<std::vector<CpuSet>> sets_near(const model::Host& host, const CpuSet& usable,
                                            const std::vector<Devices>& makers,
                                            std::uint32_t each) {
  const Devices* const gpus = most_of_makers(makers);
  if (gpus == nullptr) return no_place(fmt::format("{} has no GPU to bind to", host.name));
  std::vector<CpuSet> sets(std::max<std::size_t>(1, gpus->ids.size() / each));
  for (std::size_t i = 0; i < gpus->ids.size() && i / each < sets.size(); ++i) {
    const auto near = near_one(host, usable, gpus->variable, gpus->ids[i]);
    if (!near) return tl::unexpected(near.error());
    sets[i / each] |= *near;
  }
  return sets;
}

std::vector<Devices> shown_to_ranks(const model::JobSpec& spec, const model::Inventory& inventory,
                                    std::size_t index) {
  const model::Host& host = inventory.hosts[index];
  std::vector<Devices> makers = makers_of(*host.topology);
  for (Devices& maker : makers) {
    const auto limit = limit_of(spec, host, maker.variable);
    if (limit) maker.ids = listed_ids(*limit);
    const bool is_shared_out = host.carrier.is_share && spec.gpus_per_rank > 0;
    if (is_shared_out) maker = part_of(maker, index, inventory.hosts.size());
  }
  return makers;
}

}  // namespace

base::Result<void> bind_to_gpus(const model::JobSpec& spec, const model::Inventory& inventory,
                                HardwareOfHosts& hardware, std::vector<Assignment>& assignments,
                                SetTable& sets) {
  const model::Mapping& mapping = spec.mapping;
  std::vector<std::vector<std::uint32_t>> known(inventory.hosts.size());
  std::vector<std::uint32_t> next(inventory.hosts.size());
  for (Assignment& assignment : assignments) {
    std::vector<std::uint32_t>& indexes = known[assignment.host];
    if (indexes.empty()) {
      const model::Host& host = inventory.hosts[assignment.host];
      const auto usable = hardware.find(host, mapping);
      if (!usable) return tl::unexpected(usable.error());
      const auto near =
          sets_near(host, (*usable)->whole.set, shown_to_ranks(spec, inventory, assignment.host),
                    std::max(1U, spec.gpus_per_rank));
      if (!near && !mapping.bind_if_supported) {
        base::Error error = near.error();
        error.hint = mapping.bind_or_not ? "--bind-to gpu:if-supported binds only where possible"
                                         : "without -bind-to, ranks are not bound";
        return tl::unexpected(std::move(error));
      }
      if (!near) indexes.push_back(model::kUnbound);
      for (const CpuSet& set : near.value_or(std::vector<CpuSet>())) {
        indexes.push_back(sets.index_of(set));
      }
    }
    assignment.set = indexes[next[assignment.host]++ % indexes.size()];
  }
  return {};
}

void follow_gpus(const model::JobSpec& spec, model::Plan& plan, const Rendezvous& where,
                 base::NodeIndex node) {
  const model::PlannedNode& planned = plan.nodes[node.value];
  const auto& dealt = where.devices[node.value];
  const bool is_bound = plan.mapping.bind_to == BindTo::gpu && !plan.sets.empty();
  if (!is_bound || spec.gpus_per_rank == 0 || !dealt || !planned.host.topology) return;
  if (!planned.host.visible.empty()) return;
  const auto usable = usable_hardware(*planned.host.topology, plan.mapping, planned.host.name);
  if (!usable) return;
  const auto near = sets_near(planned.host, usable->whole.set, *dealt, spec.gpus_per_rank);
  if (!near) return;
  for (std::size_t local = 0; local < planned.ranks.size(); ++local) {
    const CpuSet& set = (*near)[local % near->size()];
    const auto known = std::ranges::find(plan.sets, set);
    plan.ranks[planned.ranks[local].value].binding =
        static_cast<std::uint32_t>(known - plan.sets.begin());
    if (known == plan.sets.end()) plan.sets.push_back(set);
  }
}

}  // namespace muster::plan
