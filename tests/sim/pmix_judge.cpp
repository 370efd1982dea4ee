// Keeps the books of questions and answers, and looks into them at the end of each turn.
#include "sim/pmix_judge.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace muster::sim {

using base::NodeIndex;

void PmixJudge::asks(NodeIndex node, const wire::pmix::Upcall& upcall) {
  std::visit([&](const auto& one) { ask(node.value, one); }, upcall);
}

void PmixJudge::told(NodeIndex node, const wire::pmix::Command& command) {
  if (lost_.contains(node.value)) complain_("a lost PMIx server is told something");
  std::visit([&](const auto& one) { tell(node.value, one); }, command);
}

// Such orders may have come before, for a world that was dropped.
void PmixJudge::told(NodeIndex node, const std::vector<wire::pmix::AddJob>& jobs) {
  if (!jobs.empty()) ended(node);
  for (const wire::pmix::AddJob& add : jobs) {
    if (add.node != node.value) complain_("a PMIx server is told that it is another");
    tell(node.value, add);
  }
}

void PmixJudge::starts(NodeIndex node, std::uint32_t world) {
  if (!known_.contains({node.value, world})) complain_("a world starts that PMIx does not know");
}

void PmixJudge::ended(NodeIndex node) {
  const auto is_its = [&](const auto& entry) { return entry.first.first == node.value; };
  std::erase_if(fences_, is_its);
  std::erase_if(fetches_, is_its);
  std::erase_if(lookups_, is_its);
  std::erase_if(publishing_, [&](const Asker& asker) { return asker.first == node.value; });
  std::erase_if(known_, [&](const auto& entry) { return entry.first == node.value; });
  for (auto& [nspace, world] : worlds_) {
    const auto found = world.arrived.find(node.value);
    if (found != world.arrived.end()) found->second.first = 0;
  }
}

void PmixJudge::lost(NodeIndex node) {
  ended(node);
  lost_.insert(node.value);
}

void PmixJudge::begin_round() { *this = PmixJudge(std::move(complain_)); }

// ---- questions ----------------------------------------------------------------------------------

void PmixJudge::ask(std::uint32_t node, const wire::pmix::Fence& fence) {
  const std::string& nspace = fence.procs.front().nspace;
  fences_[{node, fence.ticket}] = nspace;
  worlds_[nspace].arrived[node] = {fence.ticket, fence.blob};
}

void PmixJudge::ask(std::uint32_t node, const wire::pmix::Modex& modex) {
  fetches_[{node, modex.ticket}] = worlds_[modex.proc.nspace].node_of.at(modex.proc.rank);
}

void PmixJudge::ask(std::uint32_t node, const wire::pmix::Lookup& lookup) {
  lookups_[{node, lookup.ticket}] = lookup.keys;
}

void PmixJudge::ask(std::uint32_t node, const wire::pmix::Publish& publish) {
  publishing_.emplace(node, publish.ticket);
  for (const wire::pmix::Datum& datum : publish.data) published_.insert(datum.key);
}

// ---- answers ------------------------------------------------------------------------------------

void PmixJudge::tell(std::uint32_t node, const wire::pmix::AddJob& add) {
  if (add.job->nodes.size() <= node) complain_("a world has no place for a host of the run");
  if (!known_.emplace(node, add.job->world).second) complain_("a PMIx server hears of it twice");
  World& world = worlds_[add.job->nspace];
  for (std::uint32_t i = 0; i < add.job->nodes.size(); ++i) {
    for (const std::uint32_t rank : add.job->nodes[i].ranks) world.node_of[rank] = i;
    if (!add.job->nodes[i].ranks.empty()) world.nodes.insert(i);
  }
}

void PmixJudge::tell(std::uint32_t node, const wire::pmix::Reply& reply) {
  const Asker asker{node, reply.ticket};
  if (const auto fence = fences_.extract(asker); !fence.empty()) {
    worlds_[fence.mapped()].answers.emplace_back(asker, reply);
  } else if (const auto fetch = fetches_.extract(asker); !fetch.empty()) {
    const bool good = reply.status == wire::pmix::kSuccess || lost_.contains(fetch.mapped());
    if (!good) complain_("data of a rank is refused without a reason");
  } else if (publishing_.erase(asker) == 0) {
    complain_("an answer to nobody's question");
  } else if (reply.status != wire::pmix::kSuccess) {
    complain_("a name cannot be published");
  }
}

void PmixJudge::tell(std::uint32_t node, const wire::pmix::Found& found) {
  const auto lookup = lookups_.extract(Asker{node, found.ticket});
  if (lookup.empty()) return complain_("a name is found that nobody looks for");
  if (found.data.size() != lookup.mapped().size()) complain_("a name is found and is not");
}

void PmixJudge::tell(std::uint32_t node, const wire::pmix::FetchModex& fetch) {
  const World& world = worlds_[fetch.proc.nspace];
  const auto found = world.node_of.find(fetch.proc.rank);
  if (found == world.node_of.end() || found->second != node) {
    complain_("a server is asked for data of a rank that it does not have");
  }
}

// ---- the end of a turn --------------------------------------------------------------------------

bool PmixJudge::waits_for_lost(const std::set<std::uint32_t>& nodes) const {
  return std::ranges::any_of(nodes, [&](std::uint32_t node) { return lost_.contains(node); });
}

void PmixJudge::judge_fence(World& world) {
  const bool is_hopeless = waits_for_lost(world.nodes);
  const bool is_complete = !is_hopeless && world.arrived.size() == world.nodes.size();
  std::string all;
  std::set<Asker> waiting;
  for (const auto& [node, one] : world.arrived) {
    all += one.second;
    if (one.first != 0) waiting.emplace(node, one.first);
  }
  for (const auto& [asker, reply] : world.answers) {
    waiting.erase(asker);
    const bool success = reply.status == wire::pmix::kSuccess;
    if (success != is_complete) complain_("a fence is answered too early, or wrongly");
    if (!success && !is_hopeless) complain_("a fence fails without a reason");
    if (success && reply.blob != all) complain_("a fence lacks somebody's part");
  }
  if ((is_hopeless || is_complete) && !waiting.empty()) {
    complain_(is_complete ? "a fence that all have reached is not answered"
                          : "nobody tells a fence that a host is lost");
  }
  if (is_hopeless || is_complete) world.arrived.clear();
  world.answers.clear();
}

void PmixJudge::turn_over() {
  for (auto& [nspace, world] : worlds_) judge_fence(world);
  for (const auto& [asker, from] : fetches_) {
    if (lost_.contains(from)) complain_("data of a lost host is waited for");
  }
  for (const auto& [asker, keys] : lookups_) {
    const bool there =
        std::ranges::all_of(keys, [&](const std::string& key) { return published_.contains(key); });
    if (there) complain_("a name that is there is not found");
  }
}

}  // namespace muster::sim
