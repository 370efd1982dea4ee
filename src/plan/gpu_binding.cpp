// From a host's devices to the cpus of its ranks.
#include "plan/gpu_binding.hpp"

#include <algorithm>
#include <optional>

#include "plan/devices.hpp"
#include "plan/distance.hpp"
#include "plan/near_gpu.hpp"

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

// "GPU 3", "mlx5_0".
std::string called(std::string_view kind, const std::string& id) {
  const model::NearDevice device{id, std::string(kind)};
  return device.is_accelerator() ? "GPU " + id : id;
}

base::Result<CpuSet> near_one(const model::Host& host, const CpuSet& usable,
                              std::string_view variable, const std::string& id) {
  const auto& known = host.topology->devices;
  const auto device = std::ranges::find_if(
      known, [&](const model::NearDevice& one) { return one.kind == variable && one.name == id; });
  if (device == known.end() || !device->is_placed()) {
    return no_place(fmt::format("{} does not tell which cores are near its {}", host.name,
                                called(variable, id)));
  }
  const CpuSet near = device->cpus & usable;
  if (!near.empty()) return near;
  return no_place(
      fmt::format("no core near {} of {} may be used", called(variable, id), host.name));
}

// The cpus near the devices of local ranks 0, 1 and so on, `each` devices to a rank; ranks beyond
// the last set start again with the first.
base::Result<std::vector<CpuSet>> sets_near(const model::Host& host, const CpuSet& usable,
                                            const Devices& devices, std::size_t each) {
  std::vector<CpuSet> sets(std::max<std::size_t>(1, devices.ids.size() / each));
  for (std::size_t i = 0; i < devices.ids.size() && i / each < sets.size(); ++i) {
    const auto near = near_one(host, usable, devices.variable, devices.ids[i]);
    if (!near) return tl::unexpected(near.error());
    sets[i / each] |= *near;
  }
  return sets;
}

// Of the maker that most are of.
base::Result<std::vector<CpuSet>> sets_near(const model::Host& host, const CpuSet& usable,
                                            const std::vector<Devices>& makers,
                                            std::uint32_t each) {
  const Devices* const gpus = most_of_makers(makers);
  if (gpus == nullptr) return no_place(fmt::format("{} has no GPU to bind to", host.name));
  return sets_near(host, usable, *gpus, each);
}

// ---- near what Hydra names ----------------------------------------------------------------------

// As hwloc calls devices: an InfiniBand adapter's own name may be of any kind (mlx5_0).
bool is_of_kind(const model::NearDevice& device, std::string_view kind) {
  const bool is_omni_path = device.name.starts_with("hfi");
  if (kind == "hfi") return device.kind == model::kInfiniBand && is_omni_path;
  if (kind == "ib" && device.kind == model::kInfiniBand) return !is_omni_path;
  return device.kind == model::kNetwork && device.name.starts_with(kind);
}

// All of one kind, or the one of that name.
Devices named(const Topology& topology, const std::string& near) {
  constexpr std::string_view kKinds[] = {"ib", "hfi", "en", "eth"};
  const bool is_kind = std::ranges::find(kKinds, near) != std::end(kKinds);
  Devices found;
  for (const model::NearDevice& device : topology.devices) {
    if (device.is_accelerator()) continue;
    if (is_kind ? !is_of_kind(device, near) : device.name != near) continue;
    // Adapters and their interfaces are the same devices: the adapters count where there are any.
    const bool counts_more = device.kind == model::kInfiniBand && found.variable != device.kind;
    if (found.ids.empty() || counts_more) found = {device.kind, {}};
    if (found.variable == device.kind) found.ids.push_back(device.name);
  }
  return found;
}

// "gpu" is all of them, "gpu1" the one with that number among those that ranks see.
base::Result<Devices> gpus_named(const model::Host& host, const std::vector<Devices>& makers,
                                 std::string_view number) {
  const Devices* const gpus = most_of_makers(makers);
  if (gpus == nullptr) return no_place(fmt::format("{} has no GPU to bind to", host.name));
  if (number.empty()) return *gpus;
  for (std::size_t i = 0; i < gpus->ids.size(); ++i) {
    if (std::to_string(i) == number) return Devices{gpus->variable, {gpus->ids[i]}};
  }
  return no_place(fmt::format("{} has {} GPU{}, and so no gpu{}", host.name, gpus->ids.size(),
                              gpus->ids.size() == 1 ? "" : "s", number));
}

base::Result<Devices> devices_named(const model::Host& host, const std::vector<Devices>& makers,
                                    const std::string& near) {
  constexpr std::string_view kGpu = "gpu";
  if (near.starts_with(kGpu)) {
    return gpus_named(host, makers, std::string_view(near).substr(kGpu.size()));
  }
  Devices found = named(*host.topology, near);
  if (!found.ids.empty()) return found;
  const std::string names = network_devices(*host.topology);
  return no_place(fmt::format("{} has no device {} to bind to{}{}", host.name, near,
                              names.empty() ? "" : "; it has ", names));
}

base::Result<std::vector<CpuSet>> sets_near_named(const model::Mapping& mapping,
                                                  const model::Host& host, const CpuSet& usable,
                                                  const std::vector<Devices>& makers) {
  const auto devices = devices_named(host, makers, mapping.near);
  if (!devices) return tl::unexpected(devices.error());
  if (mapping.bind_width <= devices->ids.size()) {
    return sets_near(host, usable, *devices, mapping.bind_width);
  }
  return no_place(fmt::format("{} has {} {} device{}, but {} were requested for each rank",
                              host.name, devices->ids.size(), mapping.near,
                              devices->ids.size() == 1 ? "" : "s", mapping.bind_width));
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

// Of a rank's GPUs, or of what Mapping::near names.
base::Result<std::vector<CpuSet>> sets_on(const model::JobSpec& spec, const model::Host& host,
                                          const Hardware& usable,
                                          const std::vector<Devices>& shown) {
  const model::Mapping& mapping = spec.mapping;
  const CpuSet& whole = usable.whole.set;
  if (!mapping.near.empty()) return sets_near_named(mapping, host, whole, shown);
  auto near = sets_near(host, whole, shown, std::max(1U, spec.gpus_per_rank));
  if (!near || !mapping.near_gpu) return near;
  return near_gpus(*mapping.near_gpu, usable, host.name, *near);
}

std::string_view hint_without(const model::Mapping& mapping) {
  if (mapping.near_gpu) return "without --numa-binding, ranks are not bound";
  return mapping.bind_or_not ? "--bind-to gpu:if-supported binds only where possible"
                             : "without -bind-to, ranks are not bound";
}

}  // namespace

bool gpus_are_placed(const model::Inventory& inventory) {
  return std::ranges::all_of(inventory.hosts, [](const model::Host& host) {
    if (!host.topology) return false;
    const auto& devices = host.topology->devices;
    const auto is_lost = [](const auto& one) { return one.is_accelerator() && one.cpus.empty(); };
    return std::ranges::any_of(devices, &model::NearDevice::is_accelerator) &&
           std::ranges::none_of(devices, is_lost);
  });
}

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
          sets_on(spec, host, **usable, shown_to_ranks(spec, inventory, assignment.host));
      if (!near && !mapping.bind_if_supported) {
        base::Error error = near.error();
        error.hint = hint_without(mapping);
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
  if (!planned.host.visible.empty() || !plan.mapping.near.empty()) return;
  const auto usable = usable_hardware(*planned.host.topology, plan.mapping, planned.host.name);
  if (!usable) return;
  auto near = sets_near(planned.host, usable->whole.set, *dealt, spec.gpus_per_rank);
  if (near && plan.mapping.near_gpu) {
    near = near_gpus(*plan.mapping.near_gpu, *usable, planned.host.name, *near);
  }
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
