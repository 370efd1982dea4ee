// Shares of devices, and the complaint when there are too few.
#include "plan/devices.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace muster::plan {
namespace {

using model::Devices;

// A list as it stands in a variable, each device once.
std::set<std::string> each_listed(std::string_view value) {
  std::set<std::string> ids;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t comma = std::min(value.find(',', at), value.size());
    ids.emplace(value.substr(at, comma - at));
    at = comma + 1;
  }
  return ids;
}

// What a rank with these variables sees of the devices of its host.
std::size_t devices_seen(const Devices& devices, const model::Host& host, const Forwarded& kept) {
  if (!host.visible.empty()) return each_listed(host.visible).size();
  const auto limit = std::ranges::find(kept.kept, devices.variable, &model::Variable::name);
  if (limit != kept.kept.end()) return each_listed(limit->value).size();
  return std::set<std::string>(devices.ids.begin(), devices.ids.end()).size();
}

// Of the maker that most are of. Intel's are left out: most often they are the display's.
std::size_t most_seen(const std::vector<Devices>& all, const model::Host& host,
                      const Forwarded& kept) {
  std::size_t most = 0;
  for (const Devices& one : all) {
    if (one.variable != "ZE_AFFINITY_MASK") most = std::max(most, devices_seen(one, host, kept));
  }
  return most;
}

std::uint64_t most_of(const std::vector<Devices>& all) {
  std::uint64_t most = 0;
  for (const Devices& one : all) most = std::max<std::uint64_t>(most, one.ids.size());
  return most;
}

}  // namespace

std::string share_of(const Devices& devices, std::uint32_t local, std::size_t ranks,
                     std::uint32_t each) {
  if (devices.ids.size() < std::uint64_t{each} * ranks) return {};
  std::string text;
  for (std::size_t i = 0; i < each; ++i) {
    if (i > 0) text += ',';
    text += devices.ids[std::size_t{local} * each + i];
  }
  return text;
}

Devices part_of(const Devices& devices, std::size_t index, std::size_t count) {
  const auto at = [&](std::size_t i) {
    return devices.ids.begin() + static_cast<std::ptrdiff_t>(i * devices.ids.size() / count);
  };
  return {devices.variable, {at(index), at(index + 1)}};
}

base::Result<void> check_devices(const model::JobSpec& spec, const model::Plan& plan,
                                 const Rendezvous& where) {
  if (spec.gpus_per_rank == 0) return {};
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (!where.devices[i]) continue;
    const std::uint64_t present = most_of(*where.devices[i]);
    const std::size_t ranks = plan.nodes[i].ranks.size();
    if (present >= std::uint64_t{spec.gpus_per_rank} * ranks) continue;
    const std::uint64_t fit = present / spec.gpus_per_rank;
    return base::fail(base::Fault::no_slots,
                      fit > 0 ? fmt::format("--per-node {} would fit there", fit)
                              : "leave --gpus-per-rank out to run without devices",
                      "{} has {} device{}, but its {} rank{} {} each", plan.nodes[i].host.name,
                      present, present == 1 ? "" : "s", ranks, ranks == 1 ? " needs" : "s need",
                      spec.gpus_per_rank);
  }
  return {};
}

std::string shared_devices(const model::JobSpec& spec, const model::Plan& plan,
                           const Rendezvous& where, const Kept& kept) {
  if (spec.gpus_per_rank > 0) return {};
  std::string line;
  std::size_t others = 0;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const model::PlannedNode& node = plan.nodes[i];
    if (!where.devices[i] || node.ranks.size() < 2) continue;
    const std::vector<Forwarded>& given = kept.on(node.host);
    const std::uint32_t app = plan.ranks[node.ranks.front().value].app;
    const std::size_t devices =
        most_seen(*where.devices[i], node.host, app < given.size() ? given[app] : Forwarded());
    if (devices == 0 || devices >= node.ranks.size()) continue;
    if (!line.empty()) {
      ++others;
      continue;
    }
    line = fmt::format("{} ranks on {} see {} GPU{}, so some share one; {} rank{} there would not",
                       node.ranks.size(), node.host.name, devices, devices == 1 ? "" : "s", devices,
                       devices == 1 ? "" : "s");
  }
  if (others > 0)
    line += fmt::format("; likewise on {} more host{}", others, others == 1 ? "" : "s");
  return line;
}

}  // namespace muster::plan
