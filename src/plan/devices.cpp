// Shares of devices, and the complaint when there are too few.
#include "plan/devices.hpp"

#include <algorithm>
#include <fmt/ranges.h>
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

std::uint64_t count_of(const std::vector<Devices>& all) {
  std::uint64_t count = 0;
  for (const Devices& one : all) count += one.ids.size();
  return count;
}

// " (uid 1001, 1002)"; empty: this user holds them, or the kernel does not tell.
std::string holders_of(std::span<const Devices> claimed) {
  std::set<std::uint32_t> users;
  for (const Devices& one : claimed) users.insert(one.holders.begin(), one.holders.end());
  return users.empty() ? "" : fmt::format(" (uid {})", fmt::join(users, ", "));
}

// "2 devices, 1 of them in use by other jobs of muster,".
std::string devices_present(std::uint64_t left, std::uint64_t claimed, const std::string& holders) {
  const std::uint64_t all = left + claimed;
  std::string text = fmt::format("{} device{}", all, all == 1 ? "" : "s");
  if (claimed > 0) {
    text += all == 1 ? ", in use by another job of muster"
                     : fmt::format(", {} of them in use by other jobs of muster", claimed);
    text += holders;
  }
  return text;
}

std::string when_too_few(std::uint64_t fit, std::uint64_t claimed) {
  const char* share = "--share-gpus deals out what other jobs use, too";
  if (fit > 0 && claimed == 0)
    return fmt::format("{} rank{} would fit there", fit, fit == 1 ? "" : "s");
  if (fit > 0) return fmt::format("{} rank{} would fit there; {}", fit, fit == 1 ? "" : "s", share);
  return claimed > 0 ? share : "to run without devices, ask for none";
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

std::string held_devices(const model::PlannedNode& node, std::span<const Devices> devices) {
  std::vector<std::string> ids;
  for (const Devices& one : devices) ids.insert(ids.end(), one.ids.begin(), one.ids.end());
  return fmt::format("device{} {} on {}: in use by another job of muster{}",
                     ids.size() == 1 ? "" : "s", fmt::join(ids, ","), node.host.name,
                     holders_of(devices));
}

std::string leave_claimed(const model::JobSpec& spec, const model::Plan& plan, Rendezvous& where,
                          base::NodeIndex node, std::span<const Devices> claimed) {
  auto& dealt = where.devices[node.value];
  if (spec.gpus_per_rank == 0 || spec.share_gpus || !dealt) return {};
  std::vector<Devices> left;
  for (Devices& one : *dealt) {
    const auto others = std::ranges::find(claimed, one.variable, &Devices::variable);
    if (others == claimed.end()) continue;
    Devices held{one.variable, {}, others->holders};
    std::erase_if(one.ids, [&](const std::string& id) {
      if (std::ranges::count(others->ids, id) == 0) return false;
      held.ids.push_back(id);
      return true;
    });
    if (!held.ids.empty()) left.push_back(std::move(held));
  }
  if (left.empty()) return {};
  auto& known = where.claimed[node.value];
  known.insert(known.end(), left.begin(), left.end());
  return held_devices(plan.nodes[node.value], left);
}

bool deals_any(const model::JobSpec& spec, const model::Plan& plan, const Rendezvous& where,
               base::NodeIndex node, std::span<const Devices> devices) {
  const auto& dealt = where.devices[node.value];
  const bool is_named = !plan.nodes[node.value].host.visible.empty();
  if (spec.gpus_per_rank == 0 || spec.share_gpus || is_named || !dealt) return false;
  return std::ranges::any_of(*dealt, [&](const Devices& one) {
    const auto others = std::ranges::find(devices, one.variable, &Devices::variable);
    return others != devices.end() && std::ranges::any_of(one.ids, [&](const std::string& id) {
             return std::ranges::count(others->ids, id) > 0;
           });
  });
}

std::vector<Devices> device_claims(const model::JobSpec& spec, const model::Plan& plan,
                                   const Rendezvous& where, base::NodeIndex node) {
  const model::PlannedNode& planned = plan.nodes[node.value];
  const auto& present = where.devices[node.value];
  std::vector<Devices> claims;
  if (spec.share_gpus || !present) return claims;
  const std::set<std::string> named = each_listed(planned.host.visible);
  const std::size_t dealt = std::size_t{spec.gpus_per_rank} * planned.ranks.size();
  for (const Devices& one : *present) {
    if (!planned.host.visible.empty()) {
      if (one.variable == "CUDA_VISIBLE_DEVICES") {
        claims.push_back({one.variable, {named.begin(), named.end()}});
      }
    } else if (dealt > 0 && one.ids.size() >= dealt) {
      const auto end = one.ids.begin() + static_cast<std::ptrdiff_t>(dealt);
      claims.push_back({one.variable, {one.ids.begin(), end}});
    }
  }
  return claims;
}

base::Result<void> check_devices(const model::JobSpec& spec, const model::Plan& plan,
                                 const Rendezvous& where) {
  if (spec.gpus_per_rank == 0) return {};
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (!where.devices[i]) continue;
    const std::uint64_t present = most_of(*where.devices[i]);
    const std::size_t ranks = plan.nodes[i].ranks.size();
    if (present >= std::uint64_t{spec.gpus_per_rank} * ranks) continue;
    const std::uint64_t claimed = spec.share_gpus ? 0 : count_of(where.claimed[i]);
    return base::fail(base::Fault::no_slots, when_too_few(present / spec.gpus_per_rank, claimed),
                      "{} has {}, but its {} rank{} {} each", plan.nodes[i].host.name,
                      devices_present(present, claimed, holders_of(where.claimed[i])), ranks,
                      ranks == 1 ? " needs" : "s need", spec.gpus_per_rank);
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
