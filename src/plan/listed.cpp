// Assignments of ranks by host entry and by rankfile.
#include "plan/listed.hpp"

#include <charconv>

namespace muster::plan {
namespace {

using base::Fault;
using model::Inventory;
using model::JobSpec;
using model::RankfileEntry;

std::string key(const std::string& user, const std::string& name, std::uint32_t port) {
  return fmt::format("{}@{} {}", user, name, port);
}

// "+n3" is 3.
std::optional<std::uint32_t> relative(const std::string& name) {
  if (name.size() < 3 || name[0] != '+' || (name[1] != 'n' && name[1] != 'N')) return std::nullopt;
  std::uint32_t number = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + 2, end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

tl::unexpected<base::Error> no_such_host(const RankfileEntry& entry, const Inventory& inventory) {
  return base::fail_at(entry.place, Fault::bad_file,
                       fmt::format("the job's hosts are {}{}", inventory.hosts.front().name,
                                   inventory.hosts.size() > 1 ? " and others" : ""),
                       "rank {} is assigned to {}, which is not one of the job's hosts",
                       entry.rank.value, entry.host);
}

}  // namespace

HostNames::HostNames(const Inventory& inventory) : hosts_(inventory.hosts.size()) {
  for (std::uint32_t i = 0; i < inventory.hosts.size(); ++i) {
    const model::Host& host = inventory.hosts[i];
    index_.try_emplace(host.name, i);
    index_.try_emplace(key(host.user, host.name, host.port), i);
  }
  for (std::uint32_t i = 0; i < inventory.hosts.size(); ++i) {
    for (const std::string& alias : inventory.hosts[i].aliases) index_.try_emplace(alias, i);
  }
}

std::optional<std::uint32_t> HostNames::find(const std::string& name) const {
  const auto found = index_.find(name);
  if (found != index_.end()) return found->second;
  const auto number = relative(name);
  return number && *number < hosts_ ? number : std::nullopt;
}

std::optional<std::uint32_t> HostNames::find(const model::HostEntry& entry) const {
  const auto found = index_.find(key(entry.user, entry.name, entry.port));
  return found != index_.end() ? found->second : find(entry.name);
}

base::Result<std::vector<Assignment>> by_entry(const JobSpec& spec, const Inventory& inventory,
                                               const std::vector<Capacity>& capacities,
                                               std::uint64_t ranks) {
  const HostNames names(inventory);
  std::vector<Assignment> assignments;
  for (const model::HostEntry& entry : spec.hosts) {
    const auto host = names.find(entry);
    if (host && capacities[*host].cap > 0) assignments.push_back({*host, kNoObject});
  }
  if (assignments.size() < ranks) {
    return base::fail(
        Fault::no_slots, fmt::format("use {} ranks, or list more hosts", assignments.size()),
        "{} ranks wanted, but mapping by seq runs one for each of the {} listed hosts", ranks,
        assignments.size());
  }
  assignments.resize(ranks);
  return assignments;
}

base::Result<std::vector<Assignment>> by_rankfile(const JobSpec& spec, const Inventory& inventory,
                                                  std::uint64_t ranks) {
  const HostNames names(inventory);
  std::vector<Assignment> assignments(ranks, Assignment{kNoObject, kNoObject});
  for (const RankfileEntry& entry : spec.mapping.rankfile) {
    if (entry.rank.value >= ranks) continue;  // one file may serve jobs of many sizes
    const auto host = names.find(entry.host);
    if (!host) return no_such_host(entry, inventory);
    if (assignments[entry.rank.value].host != kNoObject) {
      return base::fail_at(entry.place, Fault::bad_file, "give each rank one line",
                           "rank {} is in the rankfile twice", entry.rank.value);
    }
    assignments[entry.rank.value].host = *host;
  }
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    if (assignments[rank].host != kNoObject) continue;
    base::Place place;
    if (!spec.mapping.rankfile.empty()) place.source = spec.mapping.rankfile.front().place.source;
    return base::fail_at(place, Fault::bad_file,
                         fmt::format("add a line: rank {}=HOST slot=0", rank),
                         "the rankfile has no line for rank {} of {}", rank, ranks);
  }
  return assignments;
}

}  // namespace muster::plan
