// Several fences may be open at once, with different participants or even the same ones.
#include "machine/pmix_exchange.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace muster::machine {

namespace {

constexpr std::size_t kEntryPlace = 128;  // what an entry takes beside its text

std::size_t bytes_of(const pmix::Datum& datum) {
  return kEntryPlace + 2 * datum.key.size() + datum.owner.nspace.size() + datum.blob.size();
}

std::size_t bytes_of(const pmix::Lookup& lookup) {
  std::size_t bytes = kEntryPlace;
  for (const std::string& key : lookup.keys) bytes += sizeof(std::string) + key.size();
  return bytes;
}

}  // namespace

void PmixExchange::add(const pmix::Job& job) {
  CHECK(job.nodes.size() <= nodes_);
  Placement& placed = jobs_[job.nspace];
  for (std::uint32_t node = 0; node < job.nodes.size(); ++node) {
    for (const std::uint32_t rank : job.nodes[node].ranks) {
      placed.node_of[rank] = node;
      placed.nodes.insert(node);
    }
  }
}

PmixOrders PmixExchange::take(std::uint32_t node, const pmix::Upcall& upcall) {
  PmixOrders out;
  std::visit([&](const auto& one) { take_one(node, one, out); }, upcall);
  return out;
}

// ---- fences, connect, disconnect ----------------------------------------------------------------

// Nothing when a process is of no job that we know.
std::optional<std::vector<std::uint32_t>> PmixExchange::nodes_of(
    const std::vector<pmix::Proc>& procs) const {
  std::set<std::uint32_t> nodes;
  for (const pmix::Proc& proc : procs) {
    const auto job = jobs_.find(proc.nspace);
    if (job == jobs_.end()) return std::nullopt;
    const Placement& placed = job->second;
    if (proc.rank == pmix::kAllRanks) {
      nodes.insert(placed.nodes.begin(), placed.nodes.end());
    } else if (const auto found = placed.node_of.find(proc.rank); found != placed.node_of.end()) {
      nodes.insert(found->second);
    } else {
      return std::nullopt;
    }
  }
  return std::vector(nodes.begin(), nodes.end());
}

void PmixExchange::conclude(const Round& round, pmix::Status status, PmixOrders& out) {
  std::string all;
  if (status == pmix::kSuccess) {
    for (const auto& [node, one] : round.arrived) all += one.second;
  }
  for (const auto& [node, one] : round.arrived) {
    if (one.first != 0) out.push_back({node, pmix::Reply{one.first, status, all}});
  }
}

void PmixExchange::gather(std::uint32_t node, Kind kind, std::vector<pmix::Proc> procs,
                          pmix::Ticket ticket, const std::string& blob, PmixOrders& out) {
  const auto expected = nodes_of(procs);
  const auto is_expected = [&](std::uint32_t one) {
    return expected && std::binary_search(expected->begin(), expected->end(), one);
  };
  if (!is_expected(node)) return out.push_back({node, pmix::Reply{ticket, pmix::kNotFound, ""}});
  if (std::any_of(lost_.begin(), lost_.end(), is_expected)) {
    return out.push_back({node, pmix::Reply{ticket, pmix::kUnreachable, ""}});
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
  conclude(*round, pmix::kSuccess, out);
  rounds.erase(round);
  if (rounds.empty()) rounds_.erase(key);
}

void PmixExchange::take_one(std::uint32_t node, const pmix::Fence& fence, PmixOrders& out) {
  gather(node, Kind::fence, fence.procs, fence.ticket, fence.blob, out);
}

void PmixExchange::take_one(std::uint32_t node, const pmix::Connect& connect, PmixOrders& out) {
  gather(node, connect.apart ? Kind::disconnect : Kind::connect, connect.procs, connect.ticket, "",
         out);
}

// ---- direct modex -------------------------------------------------------------------------------

void PmixExchange::take_one(std::uint32_t node, const pmix::Modex& modex, PmixOrders& out) {
  const auto nodes = nodes_of({modex.proc});
  if (!nodes || nodes->size() != 1) {
    return out.push_back({node, pmix::Reply{modex.ticket, pmix::kNotFound, ""}});
  }
  if (std::count(lost_.begin(), lost_.end(), nodes->front()) > 0) {
    return out.push_back({node, pmix::Reply{modex.ticket, pmix::kUnreachable, ""}});
  }
  fetches_[++last_fetch_] = {{node, modex.ticket}, nodes->front()};
  out.push_back({nodes->front(), pmix::FetchModex{last_fetch_, modex.proc}});
}

void PmixExchange::take_one(std::uint32_t node, const pmix::ModexFound& found, PmixOrders& out) {
  const auto fetch = fetches_.find(found.ticket);
  if (fetch == fetches_.end() || fetch->second.second != node) return;
  const PmixAsker asker = fetch->second.first;
  fetches_.erase(fetch);
  out.push_back({asker.node, pmix::Reply{asker.ticket, found.status, found.blob}});
}

// ---- publish, lookup ----------------------------------------------------------------------------

void PmixExchange::take_one(std::uint32_t node, const pmix::Publish& publish, PmixOrders& out) {
  const bool taken =
      std::any_of(publish.data.begin(), publish.data.end(),
                  [&](const pmix::Datum& datum) { return published_.contains(datum.key); });
  if (taken) return out.push_back({node, pmix::Reply{publish.ticket, pmix::kDuplicateKey, ""}});
  std::size_t bytes = published_bytes_;
  for (const pmix::Datum& datum : publish.data) bytes += bytes_of(datum);
  if (bytes > kPublishedMax) {
    return out.push_back({node, pmix::Reply{publish.ticket, pmix::kOutOfResource, ""}});
  }
  for (const pmix::Datum& datum : publish.data) {
    if (const auto same = published_.find(datum.key); same != published_.end()) take_back(same);
    published_[datum.key] = {datum, publish.once};
    published_bytes_ += bytes_of(datum);
  }
  out.push_back({node, pmix::Reply{publish.ticket, pmix::kSuccess, ""}});
  // Each look-up may take away what the next one waits for.
  std::erase_if(waiting_, [&](const auto& one) {
    const bool answered = answer(one.first, one.second, out);
    if (answered) waiting_bytes_ -= bytes_of(one.second);
    return answered;
  });
}

void PmixExchange::take_one(std::uint32_t node, const pmix::Lookup& lookup, PmixOrders& out) {
  const PmixAsker asker{node, lookup.ticket};
  if (answer(asker, lookup, out)) return;
  if (waiting_bytes_ + bytes_of(lookup) > kPublishedMax) {
    return out.push_back({node, pmix::Found{lookup.ticket, pmix::kOutOfResource, {}}});
  }
  waiting_bytes_ += bytes_of(lookup);
  waiting_.emplace_back(asker, lookup);
}

// False when the asker wants to wait.
bool PmixExchange::answer(const PmixAsker& asker, const pmix::Lookup& lookup, PmixOrders& out) {
  pmix::Found found{asker.ticket, pmix::kSuccess, {}};
  for (const std::string& key : lookup.keys) {
    const auto kept = published_.find(key);
    if (kept != published_.end()) found.data.push_back(kept->second.datum);
  }
  const bool all = found.data.size() == lookup.keys.size();
  if (!all && lookup.wait) return false;
  if (!all) found.status = found.data.empty() ? pmix::kNotFound : pmix::kPartial;
  for (const std::string& key : lookup.keys) {
    const auto kept = published_.find(key);
    if (kept != published_.end() && kept->second.once) take_back(kept);
  }
  out.push_back({asker.node, std::move(found)});
  return true;
}

void PmixExchange::take_one(std::uint32_t node, const pmix::Unpublish& unpublish, PmixOrders& out) {
  const std::size_t before = published_.size();
  if (unpublish.keys.empty()) {
    for (auto kept = published_.begin(); kept != published_.end();) {
      const auto one = kept++;
      if (one->second.datum.owner == unpublish.proc) take_back(one);
    }
  }
  for (const std::string& key : unpublish.keys) {
    if (const auto kept = published_.find(key); kept != published_.end()) take_back(kept);
  }
  const bool gone = published_.size() < before || unpublish.keys.empty();
  const pmix::Status status = gone ? pmix::kSuccess : pmix::kNotFound;
  out.push_back({node, pmix::Reply{unpublish.ticket, status, ""}});
}

void PmixExchange::take_back(Published::iterator kept) {
  published_bytes_ -= bytes_of(kept->second.datum);
  published_.erase(kept);
}

// ---- events, losses -----------------------------------------------------------------------------

void PmixExchange::take_one(std::uint32_t node, const pmix::Event& event, PmixOrders& out) {
  for (std::uint32_t other = 0; other < nodes_; ++other) {
    if (other != node) out.push_back({other, event});
  }
}

void PmixExchange::forget(std::uint32_t node) {
  CHECK(node < nodes_);
  for (auto& [key, rounds] : rounds_) {
    for (Round& round : rounds) {
      const auto found = round.arrived.find(node);
      if (found != round.arrived.end()) found->second.first = 0;
    }
  }
  std::erase_if(fetches_, [&](const auto& one) { return one.second.first.node == node; });
  std::erase_if(waiting_, [&](const auto& one) {
    const bool is_over = one.first.node == node;
    if (is_over) waiting_bytes_ -= bytes_of(one.second);
    return is_over;
  });
}

PmixOrders PmixExchange::lost(std::uint32_t node) {
  PmixOrders out;
  CHECK(node < nodes_);
  if (std::ranges::count(lost_, node) > 0) return out;
  lost_.push_back(node);
  forget(node);
  for (auto& [key, rounds] : rounds_) {
    std::erase_if(rounds, [&](Round& round) {
      if (!std::binary_search(round.expected.begin(), round.expected.end(), node)) return false;
      conclude(round, pmix::kUnreachable, out);
      return true;
    });
  }
  std::erase_if(rounds_, [](const auto& one) { return one.second.empty(); });
  std::erase_if(fetches_, [&](const auto& one) {
    const auto& [asker, from] = one.second;
    if (from != node) return false;
    out.push_back({asker.node, pmix::Reply{asker.ticket, pmix::kUnreachable, ""}});
    return true;
  });
  return out;
}

}  // namespace muster::machine
