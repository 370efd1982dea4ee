// Shares of devices, and the complaint when there are too few.
#include "plan/devices.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <set>
#include <string_view>

namespace muster::plan {
namespace {

using base::NodeIndex;
using model::Devices;

constexpr std::string_view kNamedBy = "CUDA_VISIBLE_DEVICES";  // as model::Host::visible is told

std::vector<std::string> listed(std::string_view value) {
  std::vector<std::string> ids;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t comma = std::min(value.find(',', at), value.size());
    ids.emplace_back(value.substr(at, comma - at));
    at = comma + 1;
  }
  return ids;
}

// Each device once.
std::set<std::string> each_listed(std::string_view value) {
  const std::vector<std::string> ids = listed(value);
  return {ids.begin(), ids.end()};
}

bool has(const std::vector<std::string>& ids, const std::string& id) {
  return std::ranges::find(ids, id) != ids.end();
}

// Of those named for a host, what is not left to other jobs.
std::vector<std::string> free_of_named(const model::PlannedNode& node, const Rendezvous& where,
                                       NodeIndex index) {
  std::vector<std::string> ids = listed(node.host.visible);
  if (index.value >= where.claimed.size()) return ids;
  for (const Devices& one : where.claimed[index.value]) {
    if (one.variable != kNamedBy) continue;
    std::erase_if(ids, [&](const std::string& id) { return has(one.ids, id); });
  }
  return ids;
}

// Of `ids`, what is among `others`: theirs.
std::vector<std::string> taken_of(const std::vector<std::string>& ids,
                                  const std::vector<std::string>& others) {
  std::vector<std::string> taken;
  for (const std::string& id : ids) {
    if (has(others, id)) taken.push_back(id);
  }
  return taken;
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

std::string shown_of_named(const model::JobSpec& spec, const model::PlannedNode& node,
                           const Rendezvous& where, NodeIndex index) {
  if (spec.gpus_per_rank == 0) return node.host.visible;
  const std::vector<std::string> ids = free_of_named(node, where, index);
  const std::size_t wanted = std::size_t{spec.gpus_per_rank} * node.ranks.size();
  const auto count = static_cast<std::ptrdiff_t>(std::min(wanted, ids.size()));
  return fmt::format("{}", fmt::join(ids.begin(), ids.begin() + count, ","));
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
  const model::PlannedNode& planned = plan.nodes[node.value];
  const bool is_named = !planned.host.visible.empty();
  std::vector<Devices> left;
  for (Devices& one : *dealt) {
    if (is_named && one.variable != kNamedBy) continue;
    const auto others = std::ranges::find(claimed, one.variable, &Devices::variable);
    if (others == claimed.end()) continue;
    const auto ids = is_named ? free_of_named(planned, where, node) : one.ids;
    Devices held{one.variable, taken_of(ids, others->ids), others->holders};
    std::erase_if(one.ids, [&](const std::string& id) { return has(held.ids, id); });
    if (!held.ids.empty()) left.push_back(std::move(held));
  }
  if (left.empty()) return {};
  auto& known = where.claimed[node.value];
  known.insert(known.end(), left.begin(), left.end());
  return held_devices(planned, left);
}

bool deals_any(const model::JobSpec& spec, const model::Plan& plan, const Rendezvous& where,
               base::NodeIndex node, std::span<const Devices> devices) {
  const auto& dealt = where.devices[node.value];
  const model::PlannedNode& planned = plan.nodes[node.value];
  if (spec.gpus_per_rank == 0 || spec.share_gpus || !dealt) return false;
  if (!planned.host.visible.empty()) {
    const auto others = std::ranges::find(devices, kNamedBy, &Devices::variable);
    const auto ids = free_of_named(planned, where, node);
    return others != devices.end() && !taken_of(ids, others->ids).empty();
  }
  return std::ranges::any_of(*dealt, [&](const Devices& one) {
    const auto others = std::ranges::find(devices, one.variable, &Devices::variable);
    return others != devices.end() && !taken_of(one.ids, others->ids).empty();
  });
}

std::vector<Devices> device_claims(const model::JobSpec& spec, const model::Plan& plan,
                                   const Rendezvous& where, base::NodeIndex node) {
  const model::PlannedNode& planned = plan.nodes[node.value];
  const auto& present = where.devices[node.value];
  std::vector<Devices> claims;
  if (spec.share_gpus || !present) return claims;
  const auto named = each_listed(shown_of_named(spec, planned, where, node));
  const std::size_t dealt = std::size_t{spec.gpus_per_rank} * planned.ranks.size();
  for (const Devices& one : *present) {
    if (!planned.host.visible.empty()) {
      if (one.variable == kNamedBy) {
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
    const model::PlannedNode& node = plan.nodes[i];
    const std::uint64_t present = node.host.visible.empty()
                                      ? most_of(*where.devices[i])
                                      : free_of_named(node, where, NodeIndex(i)).size();
    const std::size_t ranks = node.ranks.size();
    if (present >= std::uint64_t{spec.gpus_per_rank} * ranks) continue;
    const std::uint64_t claimed = spec.share_gpus ? 0 : count_of(where.claimed[i]);
    return base::fail(base::Fault::no_slots, when_too_few(present / spec.gpus_per_rank, claimed),
                      "{} has {}, but its {} rank{} {} each", node.host.name,
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
