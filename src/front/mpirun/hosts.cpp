// The hosts of an mpirun line: hostfiles, -H, and hosts by number among those of the hostfile.
#include "front/hosts.hpp"

#include <algorithm>
#include <map>

#include "front/inherited.hpp"
#include "front/mpirun/place.hpp"
#include "spec/host_word.hpp"
#include "spec/hosts.hpp"
#include "spec/in_quotes.hpp"
#include "spec/number.hpp"

namespace muster::front {
namespace {

using base::fail_at;
using base::Fault;
using base::Result;
using model::HostEntry;
using Hosts = std::vector<HostEntry>;

base::Place option() { return {"-H", 0, 0}; }

// Each host once, in the order of its first line: +n1 counts hosts, not lines.
std::vector<std::string> names_of(const Hosts& hosts) {
  std::vector<std::string> names;
  for (const HostEntry& host : hosts) {
    if (std::ranges::find(names, host.name) == names.end()) names.push_back(host.name);
  }
  return names;
}

// "+n2": the third host; "+e", "+e:2": all hosts, or the first two, since none is in use yet
// (orte/util/dash_host/dash_host.c).
Result<std::vector<std::string>> relative(std::string_view item,
                                          const std::vector<std::string>& names) {
  if (names.empty()) {
    return fail_at(option(), Fault::usage, "give --hostfile, or name the hosts",
                   "{} counts hosts of a hostfile, and there is none", spec::in_quotes(item));
  }
  const bool empty = item.starts_with("+e") || item.starts_with("+E");
  if (empty && item.size() == 2) return names;
  if (!empty && !item.starts_with("+n") && !item.starts_with("+N")) {
    return fail_at(option(), Fault::usage, "hosts by number are +n0, +n1; unused ones +e, +e:2",
                   "{} is not a host", spec::in_quotes(item));
  }
  std::string_view digits = item.substr(2);
  if (digits.starts_with(':')) digits.remove_prefix(1);
  if (!empty) digits = digits.substr(0, digits.find(':'));  // +n1:2 has slots
  const auto count = static_cast<std::uint32_t>(names.size());
  const auto number =
      spec::read_number(item.substr(0, 2), digits,
                        empty ? spec::Bounds{1, count} : spec::Bounds{0, count - 1}, Fault::usage);
  if (!number) {
    return fail_at(option(), Fault::usage, fmt::format("the hostfile has {} hosts", count), "{}",
                   number.error().what);
  }
  if (!empty) return std::vector<std::string>{names[*number]};
  return std::vector<std::string>(names.begin(), names.begin() + *number);
}

// Those of "+n1:2"; nothing: as the file says.
Result<std::optional<std::uint32_t>> slots_of(std::string_view item) {
  const std::size_t colon = item.find(':');
  const bool has_slots =
      item.size() > 2 && (item[1] == 'n' || item[1] == 'N') && colon != std::string_view::npos;
  if (!has_slots) return std::nullopt;
  return spec::read_number(item.substr(0, colon), item.substr(colon + 1), {1, model::kRanksMax},
                           Fault::usage)
      .map([](std::uint32_t slots) { return std::optional(slots); })
      .map_error([](base::Error error) {
        error.place = option();
        return error;
      });
}

// The hosts of a list; those by number with the slots that the file gives them, unless the list
// does.
Result<Hosts> read_list(std::string_view list, const Hosts& file) {
  // Beside hosts, a comma without one before it means nothing (orte/util/dash_host/dash_host.c).
  if (list.find_first_not_of(", \t") == std::string_view::npos) return spec::read_host_list(list);
  Hosts hosts;
  std::string plain;
  const auto flush = [&]() -> Result<void> {
    if (plain.empty()) return {};
    auto named = spec::read_host_list(std::exchange(plain, {}), spec::EmptyEntry::nothing);
    if (!named) return tl::unexpected(named.error());
    hosts.insert(hosts.end(), named->begin(), named->end());
    return {};
  };
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = spec::end_of_host(list, at);
    const std::string_view item = list.substr(at, end - at);
    at = end + 1;
    if (!item.starts_with('+')) {
      plain += (plain.empty() ? "" : ",") + std::string(item);
      continue;
    }
    if (auto done = flush(); !done) return tl::unexpected(done.error());
    const auto names = relative(item, names_of(file));
    if (!names) return tl::unexpected(names.error());
    const auto slots = slots_of(item);
    if (!slots) return tl::unexpected(slots.error());
    for (const HostEntry& entry : file) {
      if (std::ranges::find(*names, entry.name) == names->end()) continue;
      hosts.push_back(entry);
      if (*slots) hosts.back().slots = **slots;
    }
  }
  if (auto done = flush(); !done) return tl::unexpected(done.error());
  return hosts;
}

std::string hostfile_of(const MpirunDraft& draft, const MpirunBlock& block) {
  return block.hosts.file.empty() ? draft.default_hostfile : block.hosts.file;
}

// -H decides where both are given; the file then only numbers hosts (found by trial, 4.1.4).
Result<spec::HostsFound> hosts_of(const MpirunDraft& draft, const MpirunBlock& block) {
  spec::HostsFound file{model::kHostsInFile, {}, {}};
  for (const std::string& one : {hostfile_of(draft, block), block.added_hostfile}) {
    if (one.empty()) continue;
    auto found = hosts_in_file(*draft.call, one);
    if (!found) return tl::unexpected(found.error());
    for (HostEntry& host : found->hosts) {
      if (!host.slots && !host.slots_are_cores) host.slots = draft.default_slots;
    }
    if (file.name.empty()) file.name = one;
    file.hosts.insert(file.hosts.end(), found->hosts.begin(), found->hosts.end());
  }
  if (!block.hosts.list) return file;
  return read_list(*block.hosts.list, file.hosts).map([](Hosts hosts) {
    return spec::HostsFound{model::kHostsListed, "-H", std::move(hosts)};
  });
}

// In a batch job a host of a file has as many slots as the job has there, and never more (4.1.4
// with its Slurm module, by trial).
class Allocation {
 public:
  explicit Allocation(const MpirunDraft& draft) {
    const auto around = given_hosts(*draft.call, draft.request.spec, {});
    if (!around || !around->source.of_batch_job) return;
    for (const HostEntry& host : around->hosts) slots_[host.name] += host.slots.value_or(1);
  }

  // A host may stand on several lines.
  void bound(Hosts& hosts) const {
    auto left = slots_;
    for (HostEntry& host : hosts) {
      const auto found = left.find(host.name);
      if (found == left.end()) continue;
      host.slots = std::min(host.slots.value_or(found->second), found->second);
      host.slots_are_cores = false;
      found->second -= *host.slots;
    }
    std::erase_if(hosts, [](const HostEntry& host) { return host.slots == 0U; });
  }

 private:
  std::map<std::string, std::uint32_t> slots_;
};

}  // namespace

base::Error with_wrong_mpirun_hosts(base::Error error, const MpirunDraft& draft) {
  const auto found = hosts_of(draft, draft.block);
  if (found) return error;
  base::Errors all;
  all.add(std::move(error));
  all.add(found.error());
  return std::move(all).together();
}

Result<void> settle_mpirun_hosts(MpirunDraft& draft) {
  model::JobSpec& spec = draft.request.spec;
  if (draft.default_hostfile.empty()) {
    draft.default_hostfile = inherited_hostfile(*draft.call, spec).value_or("");
  }
  const Allocation allocation(draft);
  std::vector<Hosts> seen;
  for (MpirunBlock& block : draft.blocks) {
    auto found = hosts_of(draft, block);
    if (!found) return tl::unexpected(found.error());
    Hosts& hosts = found->hosts;
    if (found->source.is_file) allocation.bound(hosts);
    if (!hosts.empty()) block.app.hosts = names_of(hosts);
    if (hosts.empty() || std::ranges::find(seen, hosts) != seen.end()) continue;
    if (seen.empty()) {
      spec.source = found->source;
      spec.source_name = found->name;
    }
    spec.hosts.insert(spec.hosts.end(), hosts.begin(), hosts.end());
    seen.push_back(std::move(hosts));
  }
  // Programs that may use all hosts need no list of their own.
  for (MpirunBlock& block : draft.blocks) {
    if (seen.size() == 1) block.app.hosts.clear();
  }
  if (!spec.hosts.empty()) return {};
  return given_hosts(*draft.call, spec, {}).map([&](auto found) {
    spec::take_hosts(spec, std::move(found));
  });
}

}  // namespace muster::front
