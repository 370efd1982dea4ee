// rendezvous: the addresses, interfaces and port at which ranks find each other.
#include <algorithm>
#include <string_view>

#include "plan/devices.hpp"
#include "plan/environment.hpp"

namespace muster::plan {
namespace {

using model::HostFacts;
using model::PlannedNode;
using Facts = std::span<const std::optional<HostFacts>>;

// torch's own default, for an agent that found no free port.
constexpr std::uint16_t kPortOfLastResort = 29500;

const HostFacts* facts_of(Facts facts, std::size_t node) {
  return node < facts.size() && facts[node] ? &*facts[node] : nullptr;
}

bool is_v4(std::string_view text) {
  return std::ranges::count(text, '.') == 3 &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool is_address(std::string_view text) {
  return is_v4(text) || text.find(':') != std::string_view::npos;
}

// An address that means the same host wherever it is used: no loopback, no link-local one.
bool is_for_others(std::string_view address) {
  if (address.empty() || address == "::1" || address.starts_with("127.")) return false;
  return !address.starts_with("fe80:") && !address.starts_with("169.254.");
}

// Bridges, container networks and tunnels: other hosts may own the same address, or none at all.
bool is_for_this_host_only(std::string_view interface) {
  constexpr std::string_view kPrefixes[] = {"docker",  "veth", "virbr",     "br-", "cni",
                                            "flannel", "cali", "tailscale", "wg",  "tun"};
  return std::ranges::any_of(
      kPrefixes, [&](std::string_view prefix) { return interface.starts_with(prefix); });
}

// On another machine, as far as can be told.
bool is_elsewhere(const model::Host& host) { return !host.carrier.same_machine; }

// An address and how it was found.
struct Found {
  std::string address;
  std::string how;
};

// What a node answers to when no connection has told: its literal address, its first real
// interface's, or its name.
Found best_guess(const PlannedNode& node, const HostFacts& facts) {
  if (is_address(node.host.name) && is_for_others(node.host.name))
    return {node.host.name, "as in the host list"};
  const auto real = std::ranges::find_if(facts.interfaces, [](const model::Interface& one) {
    return is_for_others(one.address) && !is_for_this_host_only(one.name);
  });
  if (real != facts.interfaces.end())
    return {real->address, "the first that is not a bridge, container or tunnel"};
  const std::string& name = facts.hostname.empty() ? node.host.name : facts.hostname;
  return {name, "its name, since no interface has an address that others can use"};
}

// Where the head's machine was seen from: by the first host that is not this machine.
struct Seen {
  bool known = false;
  std::string address;
  model::Carrier carrier = model::kOpened;  // of that host
};

Seen head_seen(const model::Plan& plan, Facts facts) {
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (!is_elsewhere(plan.nodes[i].host)) continue;
    const HostFacts* known = facts_of(facts, i);
    if (known == nullptr) return {};
    return {true, known->head_address, plan.nodes[i].host.carrier};
  }
  return {};
}

// A connection tells best: the kernel's routes chose its two ends.
Found address_of(const PlannedNode& node, const HostFacts* facts, const Seen& head) {
  const bool elsewhere = is_elsewhere(node.host);
  if (facts == nullptr || (!elsewhere && !head.known)) {
    return {fmt::format("<address of {}>", node.host.name), {}};
  }
  const std::string& seen = elsewhere ? facts->reached_at : head.address;
  if (!is_for_others(seen)) return best_guess(node, *facts);
  const model::Carrier& carrier = elsewhere ? node.host.carrier : head.carrier;
  if (!carrier.opened)
    return {seen, elsewhere ? "it connected from there" : "the other nodes connected to it there"};
  const std::string way = carrier == model::kStep ? "srun" : "ssh";
  return {seen, way + (elsewhere ? " reached it there" : " came from there to the other hosts")};
}

std::string interface_of(const PlannedNode& node, const HostFacts* facts,
                         const std::string& address) {
  if (facts == nullptr) return fmt::format("<interface of {}>", node.host.name);
  const auto owner = std::ranges::find(facts->interfaces, address, &model::Interface::address);
  return owner == facts->interfaces.end() ? std::string() : owner->name;
}

std::string port_of(const PlannedNode& node, const HostFacts* facts) {
  if (facts == nullptr) return fmt::format("<port of {}>", node.host.name);
  return std::to_string(facts->port != 0 ? facts->port : kPortOfLastResort);
}

std::optional<model::Cpus> cpus_of(const PlannedNode& node, const HostFacts* facts) {
  if (node.host.cpus) return node.host.cpus;
  if (facts == nullptr) return std::nullopt;
  return facts->cpus;
}

std::optional<std::vector<model::Devices>> devices_of(const model::Plan& plan, std::size_t node,
                                                      const HostFacts* facts) {
  if (facts == nullptr) return std::nullopt;
  if (!plan.nodes[node].host.carrier.is_share) return facts->devices;
  std::vector<model::Devices> shares;
  for (const model::Devices& all : facts->devices) {
    shares.push_back(part_of(all, node, plan.nodes.size()));
  }
  return shares;
}

// This machine, as hosts reach it.
std::string address_of_head(const model::Plan& plan, const Rendezvous& where, const Seen& head) {
  if (is_for_others(head.address)) return head.address;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    if (plan.nodes[i].host.carrier.is_this_machine() && is_for_others(where.point.addresses[i])) {
      return where.point.addresses[i];
    }
  }
  return {};
}

std::vector<std::string> ports_of(const model::Plan& plan, Facts facts) {
  std::vector<std::string> ports;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    ports.push_back(port_of(plan.nodes[i], facts_of(facts, i)));
  }
  return ports;
}

bool is_one_machine(const model::Plan& plan) {
  return std::ranges::none_of(plan.nodes, is_elsewhere, &PlannedNode::host);
}

// Spawned ranks may come to spare hosts. When only those are other machines, nobody has told yet
// over which interface they are reached.
bool is_among_hosts(const model::Plan& plan) {
  if (plan.spare.empty() || plan.nodes.size() > 1) return plan.nodes.size() > 1;
  return !is_one_machine(plan) || std::ranges::none_of(plan.spare, is_elsewhere);
}

}  // namespace

Rendezvous rendezvous(const model::Plan& plan, Facts facts) {
  const bool one_machine = is_one_machine(plan);
  const Seen head = head_seen(plan, facts);
  Rendezvous where;
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const PlannedNode& node = plan.nodes[i];
    const HostFacts* known = facts_of(facts, i);
    Found found = one_machine ? Found{"127.0.0.1", "all ranks are on this machine"}
                              : address_of(node, known, head);
    where.point.addresses.push_back(std::move(found.address));
    where.reasons.push_back(std::move(found.how));
    where.rdma.push_back(known != nullptr && known->rdma);
    where.interfaces.push_back(one_machine ? "lo"
                                           : interface_of(node, known, where.point.addresses[i]));
    where.cpus.push_back(cpus_of(node, known));
    where.devices.push_back(devices_of(plan, i, known));
    where.claimed.emplace_back();
    where.rank_ports.emplace_back(known == nullptr ? std::nullopt
                                                   : std::optional(known->rank_ports));
  }
  if (plan.nodes.empty()) return where;
  where.point.among_hosts = is_among_hosts(plan);
  where.ports = ports_of(plan, facts);
  where.head = one_machine ? "127.0.0.1" : address_of_head(plan, where, head);
  where.point.address = where.point.addresses.front();
  where.point.port = where.ports.front();
  return where;
}

Rendezvous for_nodes(const Rendezvous& all, std::span<const std::size_t> nodes) {
  Rendezvous some;
  some.point = all.point;
  some.point.addresses.clear();
  for (const std::size_t node : nodes) {
    some.point.addresses.push_back(all.point.addresses[node]);
    some.interfaces.push_back(all.interfaces[node]);
    some.reasons.push_back(all.reasons[node]);
    some.rdma.push_back(all.rdma[node]);
    some.cpus.push_back(all.cpus[node]);
    some.devices.push_back(all.devices[node]);
    some.claimed.push_back(all.claimed[node]);
    some.rank_ports.push_back(all.rank_ports[node]);
    some.ports.push_back(all.ports[node]);
  }
  some.head = all.head;
  if (nodes.empty()) return some;
  some.point.address = some.point.addresses.front();
  some.point.port = some.ports.front();
  return some;
}

}  // namespace muster::plan
