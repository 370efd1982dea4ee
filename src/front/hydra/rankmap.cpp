// Reads maps of ranks.
#include "front/hydra/rankmap.hpp"

#include <algorithm>

#include "spec/in_quotes.hpp"
#include "spec/number.hpp"

namespace muster::front {
namespace {

using base::fail;
using base::Fault;
using base::Result;
using model::HostEntry;
using Ids = std::vector<std::uint32_t>;

tl::unexpected<base::Error> unreadable(std::string_view text) {
  return fail(Fault::usage, "for example 0,0,1,1 or (0,2,2)", "-rankmap: {} is not a map of ranks",
              spec::in_quotes(text));
}

Result<std::uint32_t> number(std::string_view text, std::uint32_t least) {
  return spec::read_number("-rankmap: a number", text, {least, model::kRanksMax - 1}, Fault::usage);
}

// "0,2,4" of a block.
Result<void> add_block(std::string_view text, Ids& ids) {
  Ids parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto part = number(text.substr(at, end - at), parts.empty() ? 0 : 1);
    if (!part) return tl::unexpected(part.error());
    parts.push_back(*part);
    at = end + 1;
  }
  if (parts.size() != 3) return unreadable(text);
  if (ids.size() + std::uint64_t{parts[1]} * parts[2] > model::kRanksMax) {
    return fail(Fault::usage, "", "-rankmap has more than {} ranks", model::kRanksMax);
  }
  for (std::uint32_t host = 0; host < parts[1]; ++host) {
    ids.insert(ids.end(), parts[2], parts[0] + host);
  }
  return {};
}

Result<Ids> read_ids(std::string_view text) {
  if (text.starts_with("(vector,") && text.ends_with(')')) text = text.substr(8, text.size() - 9);
  Ids ids;
  for (std::size_t at = 0; at < text.size();) {
    const bool block = text[at] == '(';
    const std::size_t end = std::min(text.find(block ? ')' : ',', at), text.size());
    if (block && end == text.size()) return unreadable(text);
    if (block) {
      if (auto done = add_block(text.substr(at + 1, end - at - 1), ids); !done) {
        return tl::unexpected(done.error());
      }
    } else {
      const auto id = number(text.substr(at, end - at), 0);
      if (!id) return tl::unexpected(id.error());
      ids.push_back(*id);
    }
    at = end + (block ? 1 : 0);
    if (at < text.size() && text[at] != ',') return unreadable(text);
    at += 1;
  }
  if (ids.empty() || text.ends_with(',')) return unreadable(text);
  return ids;
}

std::vector<HostEntry> each_once(const std::vector<HostEntry>& entries) {
  std::vector<HostEntry> hosts;
  for (const HostEntry& entry : entries) {
    const auto found = std::ranges::find(hosts, entry.name, &HostEntry::name);
    if (found == hosts.end()) hosts.push_back(entry);
  }
  return hosts;
}

// -n of all programs; a program without one has as many as the map.
std::uint64_t settle_counts(HydraDraft& draft, std::size_t map) {
  std::uint64_t ranks = 0;
  for (HydraBlock& block : draft.blocks) {
    if (!block.app.ranks) block.app.ranks = static_cast<std::uint32_t>(map);
    ranks += *block.app.ranks;
  }
  return ranks;
}

// Rank k on host ids[k], and so on from the start.
Result<void> deal(HydraDraft& draft, const std::vector<HostEntry>& hosts, const Ids& ids) {
  const std::uint64_t ranks = settle_counts(draft, ids.size());
  if (ranks > model::kRanksMax) {
    return fail(Fault::usage, "", "{} ranks are more than {}", ranks, model::kRanksMax);
  }
  model::JobSpec& spec = draft.request.spec;
  spec.hosts.clear();
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    spec.hosts.push_back(hosts[ids[rank % ids.size()]]);
    spec.hosts.back().slots.reset();
  }
  spec.mapping.map_by = model::MapBy::seq;
  spec.per_node.reset();
  return {};
}

}  // namespace

Result<void> apply_rank_map(HydraDraft& draft) {
  const auto ids = read_ids(draft.rank_map);
  if (!ids) return tl::unexpected(ids.error());
  const std::vector<HostEntry> hosts = each_once(draft.request.spec.hosts);
  const std::uint32_t most = *std::ranges::max_element(*ids);
  if (most >= hosts.size()) {
    return fail(Fault::usage, "hosts count from 0, in the order of the host list",
                "-rankmap speaks of host {}, and {} hosts are given", most, hosts.size());
  }
  return deal(draft, hosts, *ids);
}

Result<void> apply_repeats(HydraDraft& draft) {
  const std::vector<HostEntry>& entries = draft.request.spec.hosts;
  const std::vector<HostEntry> hosts = each_once(entries);
  Ids ids;
  std::size_t nodes = 0;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const bool joins = at > 0 && entries[at - 1].name == entries[at].name;
    nodes += joins ? 0 : 1;
    const auto& per_node = draft.request.spec.per_node;
    if (joins && per_node) continue;
    const auto host = std::ranges::find(hosts, entries[at].name, &HostEntry::name);
    const std::uint32_t ranks = per_node.value_or(entries[at].slots.value_or(1));
    if (ids.size() + std::uint64_t{ranks} > model::kRanksMax) return {};
    ids.insert(ids.end(), ranks, static_cast<std::uint32_t>(host - hosts.begin()));
  }
  return nodes == hosts.size() ? Result<void>() : deal(draft, hosts, ids);
}

}  // namespace muster::front
