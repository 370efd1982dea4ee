// Inventory: the hosts that a job may use, each once, with its slots; and the facts that only the
// host itself can tell.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/carrier_local.hpp"
#include "model/job_spec.hpp"
#include "model/topology.hpp"

namespace muster::model {

// The cpus of a host that a job may use.
struct Cpus {
  std::uint32_t usable = 1;  // in its affinity mask and within its quota
  bool limited = false;      // its processes see more: a quota, a fake node
  bool operator==(const Cpus&) const = default;
};

struct Host {
  std::string name;  // as the user wrote it first
  std::string user;
  std::uint32_t port = 0;
  Carrier carrier = kLocal;
  std::uint32_t slots = 1;  // never 0
  std::optional<std::uint32_t> max_slots;
  std::optional<Cpus> cpus;                     // unknown for ssh hosts until greeted
  base::Place place;                            // where it was first written
  SharedTopology topology = {};                 // null until the host has been asked
  bool slots_are_cores = false;                 // `slots` stands for cores that are not counted yet
  std::vector<std::string> aliases = {};        // other names that the user wrote for it
  std::string visible = {};                     // as in HostEntry
  std::optional<std::uint32_t> component = {};  // likewise
  std::vector<NumaNode> numa = {};  // of this machine, where memory is bound; empty: not known
  bool operator==(const Host&) const = default;
};

struct Inventory {
  std::vector<Host> hosts;  // never empty; the order is the user's
  HostSource source = kHostsHere;
  std::string source_name;  // the hostfile's path, "-H", or empty
  bool operator==(const Inventory&) const = default;
};

// One address of one network interface, without loopback ("127.0.0.1", "::1" are left out).
struct Interface {
  std::string name;
  std::string address;
  bool operator==(const Interface&) const = default;
};

// Accelerators of one maker that the ranks of a host may share out.
struct Devices {
  std::string variable;          // that limits a process to some: "CUDA_VISIBLE_DEVICES"
  std::vector<std::string> ids;  // as they stand in such a variable: indices or UUIDs
  // Of those that other jobs hold: other users of the host among the holders, by their numbers, in
  // order, as far as its kernel tells.
  std::vector<std::uint32_t> holders = {};
  bool operator==(const Devices&) const = default;
};

// What an agent reports about its host in its greeting.
struct HostFacts {
  std::string hostname;
  Cpus cpus;                          // of the agent
  std::vector<Interface> interfaces;  // as the kernel lists them
  std::string reached_at;    // address at which the head's connection arrived; may be empty
  std::string head_address;  // address the head's connection came from; may be empty
  std::uint16_t port = 0;    // free, and claimed by this agent until it ends
  std::vector<std::uint16_t> rank_ports = {};  // likewise, one for each rank, if they need them
  bool rdma = false;                           // there are InfiniBand or RoCE adapters
  std::vector<Devices> devices = {};           // one entry for each maker that there is
  std::vector<Devices> claimed = {};           // of these, what other jobs of muster hold
  SharedTopology topology = {};                // null unless it was asked for
  // The same for two agents of one machine and user, else different; empty: not known. Never a
  // machine id, which clones of a disk share.
  std::string identity = {};
  bool operator==(const HostFacts&) const = default;
};

// Whether somebody who calls a host so may mean this one, by one of its names or by what it calls
// itself. A user or port that is not said may be any.
[[nodiscard]] bool may_mean(const Host& called, const Host& host,
                            const std::optional<HostFacts>& facts = {});

// Two entries of a host list whose agents reported that they are on one host.
struct SameHost {
  Host other;  // the one that goes
  Host first;  // the one that stays, with the other's slots
  bool operator==(const SameHost&) const = default;
};

}  // namespace muster::model
