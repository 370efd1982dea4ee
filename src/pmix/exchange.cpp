// Several fences may be open at once, with different participants or even the same ones.
#include "pmix/exchange.hpp"

#include <algorithm>
#include <set>

namespace muster::pmix {

void Exchange::add(const Job& job) {
  auto& nodes = node_of_[job.nspace];
  for (std::size_t node = 0; node < job.ranks.size(); ++node) {
    for (const std::uint32_t rank : job.ranks[node]) nodes[rank] = static_cast<std::uint32_t>(node);
  }
}

std::vector<ToNode> Exchange::take(std::uint32_t node, const Upcall& upcall) {
  Out out;
  std::visit([&](const auto& one) { take_one(node, one, out); }, upcall);
  return out;
}

// ---- fences, connect, disconnect ----------------------------------------------------------------

// Nothing when a process is of no job that we know.
std::optional<std::vector<std::uint32_t>> Exchange::nodes_of(const std::vector<Proc>& procs) const {
  std::set<std::uint32_t> nodes;
  for (const Proc& proc : procs) {
    const auto job = node_of_.find(proc.nspace);
    if (job == node_of_.end()) return std::nullopt;
    if (proc.rank == kAllRanks) {
      for (const auto& [rank, node] : job->second) nodes.insert(node);
    } else if (const auto found = job->second.find(proc.rank); found != job->second.end()) {
      nodes.insert(found->second);
    } else {
      return std::nullopt;
    }
  }
  return std::vector(nodes.begin(), nodes.end());
}

void Exchange::conclude(const Round& round, Status status, Out& out) {
  std::string all;
  if (status == kSuccess) {
    for (const auto& [node, one] : round.arrived) all += one.second;
  }
  for (const auto& [node, one] : round.arrived)
    out.push_back({node, Reply{one.first, status, all}});
}

void Exchange::gather(std::uint32_t node, Kind kind, std::vector<Proc> procs, Ticket ticket,
                      const std::string& blob, Out& out) {
  const auto expected = nodes_of(procs);
  const auto is_expected = [&](std::uint32_t one) {
    return expected && std::binary_search(expected->begin(), expected->end(), one);
  };
  if (!is_expected(node)) return out.push_back({node, Reply{ticket, kNotFound, ""}});
  if (std::any_of(lost_.begin(), lost_.end(), is_expected)) {
    return out.push_back({node, Reply{ticket, kUnreachable, ""}});
  }
  std::sort(procs.begin(), procs.end());
  const Key key{kind, std::move(procs)};
  auto& rounds = rounds_[key];
  // A node that has come already is one round ahead of others.
  auto round = std::find_if(rounds.begin(), rounds.end(),
                            [&](const Round& one) { return !one.arrived.contains(node); });
  if (round == rounds.end()) round = rounds.insert(rounds.end(), Round{*expected, {}});
  round->arrived[node] = {ticket, blob};
  if (round->arrived.size() < round->expected.size()) return;
  conclude(*round, kSuccess, out);
  rounds.erase(round);
  if (rounds.empty()) rounds_.erase(key);
}

void Exchange::take_one(std::uint32_t node, const Fence& fence, Out& out) {
  gather(node, Kind::fence, fence.procs, fence.ticket, fence.blob, out);
}

void Exchange::take_one(std::uint32_t node, const Connect& connect, Out& out) {
  gather(node, connect.apart ? Kind::disconnect : Kind::connect, connect.procs, connect.ticket, "",
         out);
}

// ---- direct modex -------------------------------------------------------------------------------

void Exchange::take_one(std::uint32_t node, const Modex& modex, Out& out) {
  const auto nodes = nodes_of({modex.proc});
  if (!nodes || nodes->size() != 1) {
    return out.push_back({node, Reply{modex.ticket, kNotFound, ""}});
  }
  if (std::count(lost_.begin(), lost_.end(), nodes->front()) > 0) {
    return out.push_back({node, Reply{modex.ticket, kUnreachable, ""}});
  }
  fetches_[++last_fetch_] = {{node, modex.ticket}, nodes->front()};
  out.push_back({nodes->front(), FetchModex{last_fetch_, modex.proc}});
}

void Exchange::take_one(std::uint32_t node, const ModexFound& found, Out& out) {
  const auto fetch = fetches_.find(found.ticket);
  if (fetch == fetches_.end() || fetch->second.second != node) return;
  const Asker asker = fetch->second.first;
  fetches_.erase(fetch);
  out.push_back({asker.node, Reply{asker.ticket, found.status, found.blob}});
}

// ---- publish, lookup ----------------------------------------------------------------------------

void Exchange::take_one(std::uint32_t node, const Publish& publish, Out& out) {
  const bool taken = std::any_of(publish.data.begin(), publish.data.end(), [&](const Datum& datum) {
    return published_.contains(datum.key);
  });
  if (taken) return out.push_back({node, Reply{publish.ticket, kDuplicateKey, ""}});
  for (const Datum& datum : publish.data) published_[datum.key] = {datum, publish.once};
  out.push_back({node, Reply{publish.ticket, kSuccess, ""}});
  // Each look-up may take away what the next one waits for.
  std::erase_if(waiting_, [&](const auto& one) { return answer(one.first, one.second, out); });
}

void Exchange::take_one(std::uint32_t node, const Lookup& lookup, Out& out) {
  const Asker asker{node, lookup.ticket};
  if (!answer(asker, lookup, out)) waiting_.emplace_back(asker, lookup);
}

// False when the asker wants to wait.
bool Exchange::answer(const Asker& asker, const Lookup& lookup, Out& out) {
  Found found{asker.ticket, kSuccess, {}};
  for (const std::string& key : lookup.keys) {
    const auto kept = published_.find(key);
    if (kept != published_.end()) found.data.push_back(kept->second.datum);
  }
  const bool all = found.data.size() == lookup.keys.size();
  if (!all && lookup.wait) return false;
  if (!all) found.status = found.data.empty() ? kNotFound : kPartial;
  for (const std::string& key : lookup.keys) {
    const auto kept = published_.find(key);
    if (kept != published_.end() && kept->second.once) published_.erase(kept);
  }
  out.push_back({asker.node, std::move(found)});
  return true;
}

void Exchange::take_one(std::uint32_t node, const Unpublish& unpublish, Out& out) {
  std::size_t gone = 0;
  if (unpublish.keys.empty()) {
    gone = std::erase_if(published_,
                         [&](const auto& one) { return one.second.datum.owner == unpublish.proc; });
  }
  for (const std::string& key : unpublish.keys) gone += published_.erase(key);
  const Status status = gone > 0 || unpublish.keys.empty() ? kSuccess : kNotFound;
  out.push_back({node, Reply{unpublish.ticket, status, ""}});
}

// ---- events, losses -----------------------------------------------------------------------------

void Exchange::take_one(std::uint32_t node, const Event& event, Out& out) {
  for (std::uint32_t other = 0; other < nodes_; ++other) {
    if (other != node) out.push_back({other, event});
  }
}

std::vector<ToNode> Exchange::lost(std::uint32_t node) {
  Out out;
  lost_.push_back(node);
  for (auto& [key, rounds] : rounds_) {
    std::erase_if(rounds, [&](Round& round) {
      if (!std::binary_search(round.expected.begin(), round.expected.end(), node)) return false;
      round.arrived.erase(node);
      conclude(round, kUnreachable, out);
      return true;
    });
  }
  std::erase_if(rounds_, [](const auto& one) { return one.second.empty(); });
  std::erase_if(fetches_, [&](const auto& one) {
    const auto& [asker, from] = one.second;
    if (from == node) out.push_back({asker.node, Reply{asker.ticket, kUnreachable, ""}});
    return from == node || asker.node == node;
  });
  std::erase_if(waiting_, [&](const auto& one) { return one.first.node == node; });
  return out;
}

std::vector<std::uint32_t> Exchange::awaited() const {
  std::set<std::uint32_t> nodes;
  for (const auto& [key, rounds] : rounds_) {
    for (const Round& round : rounds) {
      for (const std::uint32_t node : round.expected) {
        if (!round.arrived.contains(node)) nodes.insert(node);
      }
    }
  }
  return {nodes.begin(), nodes.end()};
}

}  // namespace muster::pmix
