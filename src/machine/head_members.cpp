// The runs and relays of a head, and which hosts are whose.
#include <algorithm>

#include "base/check.hpp"
#include "machine/head_machine.hpp"
#include "model/carriers.hpp"

namespace muster::machine {

using base::NodeIndex;
using base::RunIndex;

HeadMachine::Member* HeadMachine::find(RunIndex index) {
  const auto found = std::ranges::lower_bound(runs_, index, {}, &Member::index);
  return found != runs_.end() && found->index == index ? &*found : nullptr;
}

const HeadMachine::Member* HeadMachine::find(RunIndex index) const {
  const auto found = std::ranges::lower_bound(runs_, index, {}, &Member::index);
  return found != runs_.end() && found->index == index ? &*found : nullptr;
}

HeadMachine::Member* HeadMachine::user(RunIndex index, NodeIndex host) {
  Member* known = find(index);
  return known != nullptr && known->uses.contains(host) ? known : nullptr;
}

const Run& HeadMachine::run(RunIndex index) const {
  const Member* known = find(index);
  CHECK(known != nullptr && !known->is_relay());
  return std::get<Run>(known->part);
}

HeadMachine::Member& HeadMachine::begin(std::variant<Run, Relay> part,
                                        std::optional<RunIndex> within) {
  last_ = RunIndex(last_.value + 1);
  return runs_.emplace_back(Member{last_, std::move(part), within});
}

bool HeadMachine::Member::over() const {
  return std::visit([](const auto& one) { return one.over(); }, part);
}

// As its next node.
void HeadMachine::use(Member& member, NodeIndex host) {
  CHECK(member.uses.emplace(host, NodeIndex(member.hosts.size())).second);
  member.hosts.push_back(host);
}

// Another run may use it already. The hosts of one plan differ, even where they have the same name.
NodeIndex HeadMachine::host_for(const std::vector<NodeIndex>& ours, const model::Host& host,
                                HeadEffects& out) {
  const auto known = runs_.empty() ? std::nullopt : hosts_.find(host);
  if (known && std::ranges::find(ours, *known) == ours.end()) return *known;
  const NodeIndex added = hosts_.add(host);
  out.push_back(AddHost{added, host});
  return added;
}

// The head's own machine has no link: launchers get an agent of their own there.
std::optional<NodeIndex> HeadMachine::host_for_relay(const Member& member,
                                                     const model::Host& called, HeadEffects& out) {
  const auto is_free = [&](NodeIndex host) { return !member.uses.contains(host); };
  const auto known = hosts_.find_called(called, is_free);
  auto host = in_reserve(called);
  const bool may = may_name_any(std::get<Relay>(member.part)) || host || (known && has(*known));
  if (!may) return std::nullopt;
  if (known && hosts_.linked(*known) && is_free(*known)) return *known;
  if (known && (!host || !hosts_.linked(*known))) host = hosts_.host(*known);
  if (!host) host = called;
  if (host->carrier.in_head) host->carrier = model::kFakeNode;
  const NodeIndex added = hosts_.add(*host);
  out.push_back(AddHost{added, std::move(*host)});
  return added;
}

bool HeadMachine::has(NodeIndex host) const {
  return std::ranges::any_of(runs_, [&](const Member& one) {
    return !one.is_relay() && std::ranges::find(one.hosts, host) != one.hosts.end();
  });
}

std::optional<model::Host> HeadMachine::in_reserve(const model::Host& called) const {
  std::optional<model::Host> found;
  for (const Member& one : runs_) {
    if (!found && !one.is_relay()) found = run(one.index).in_reserve(called);
  }
  return found;
}

// Whoever is on our machine could use our keys without us. Ranks elsewhere shall not reach more
// than the hosts of the job with them.
bool HeadMachine::may_name_any(const Relay& relay) const {
  return !hosts_.linked(relay.launcher().host);
}

bool HeadMachine::in_use(NodeIndex host) const {
  return std::ranges::any_of(runs_, [&](const Member& one) { return one.uses.contains(host); });
}

bool HeadMachine::is_over(RunIndex index) const {
  const Member* known = find(index);
  return known == nullptr || known->over();
}

// Addresses that depend on who asks: seen from the launcher's host, not from ours.
model::HostFacts HeadMachine::facts_for(const Relay& relay, model::HostFacts facts) const {
  const NodeIndex host = relay.launcher().host;
  const auto& known = hosts_.facts(host);
  if (!hosts_.linked(host) || !known) return facts;
  if (facts.reached_at.empty()) facts.reached_at = known->head_address;
  facts.head_address = known->reached_at;
  return facts;
}

std::optional<HeadMachine::Relayed> HeadMachine::relayed(RunIndex index, NodeIndex host) const {
  const Member* known = find(index);
  const auto* relay = known != nullptr ? std::get_if<Relay>(&known->part) : nullptr;
  if (relay == nullptr) return std::nullopt;
  const auto used = known->uses.find(host);
  if (used == known->uses.end()) return std::nullopt;
  return Relayed{relay->launcher(), relay->from(used->second)};
}

bool HeadMachine::is_awaited(NodeIndex host, const Member& by_others_than) const {
  return std::ranges::any_of(runs_, [&](const Member& one) {
    const auto used = one.uses.find(host);
    const auto* other = std::get_if<Run>(&one.part);
    const bool has_it = &one != &by_others_than && other != nullptr && used != one.uses.end();
    return has_it && other->awaits(used->second);
  });
}

}  // namespace muster::machine
