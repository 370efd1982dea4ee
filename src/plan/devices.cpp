// Shares of devices, and the complaint when there are too few.
#include "plan/devices.hpp"

#include <algorithm>

namespace muster::plan {
namespace {

using model::Devices;

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
                      fit > 0 ? fmt::format("--per-node {} fits there", fit)
                              : "leave --gpus-per-rank out to run without devices",
                      "{} has {} device{}, but its {} rank{} want {} each", plan.nodes[i].host.name,
                      present, present == 1 ? "" : "s", ranks, ranks == 1 ? "" : "s",
                      spec.gpus_per_rank);
  }
  return {};
}

}  // namespace muster::plan
