// JobSpec + Inventory in, Plan out. Pure: no host is asked, nothing is read.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/inventory.hpp"
#include "model/job_spec.hpp"
#include "model/plan.hpp"

namespace muster::plan {

// What must be known of this machine to plan.
struct ThisMachine {
  model::Cpus cpus;
  std::string hostname;
  // Those names of JobSpec::hosts and of the rankfile that mean this machine (localhost, own name
  // or address).
  std::vector<std::string> local_names;
  model::SharedTopology topology = {};  // null unless needs_topology()
  // What agents have told of JobSpec::hosts before: one host under two names.
  std::vector<model::SameHost> same_hosts = {};
  bool has_head_above = false;  // at CarrierSpec::above: it reaches the other hosts for us
  std::vector<model::NumaNode> numa = {};  // as in model::Host
};

// The hosts of a job, each once, in the order in which they were first written.
//
// No hosts: this machine, slots = cpus.
//
// --fake-nodes N: N nodes "fake-0"... of this machine, each with cpus/N (at least 1) cpus, slots =
// ceil(ranks/N), or --per-node, or its cpus.
//
// -H and hostfile: entries of one host (same name, user and port) add their slots up; all entries
// that mean this machine (by name, and without a port, which asks for one sshd) are one host, and
// so are those that same_hosts joins. An entry without a count has --per-node slots if that is
// given, else 1. max_slots: the largest given; below slots it is an error.
//
// Under SlotRule::open_mpi (orte/util/hostfile/hostfile.c, orte/util/dash_host/dash_host.c) a bare
// host of -H is one slot, and repeated ones add up. In a hostfile a bare line alone stands for the
// host's cores, each further bare line adds one slot, max_slots alone gives as many slots, and
// slots= for a host that has been listed already is an error. This machine alone, too, has as many
// slots as cores. Under SlotRule::hydra a bare host is one slot.
//
// With the topology of this machine given, fake nodes share its cores out among themselves.
[[nodiscard]] base::Result<model::Inventory> inventory(const model::JobSpec& spec,
                                                       const ThisMachine& here);

// Gives every rank its node.
//
// How many: -n; else --per-node times hosts; else, with hosts given, the sum of slots; else one per
// fake node; else 1. --per-node K with -n N: at most K on each node; N that does not fit is
// Fault::no_slots.
//
// By slot: each node in turn takes its slots; what is left over when all are full is spread evenly,
// earlier nodes first, and each node's ranks are numbered in a row.
//
// By node: one rank each in turn, skipping full nodes; when all are full the turn goes on with the
// node after the last one served.
//
// More ranks than slots: with spec.oversubscribe it runs; on this machine (source `here`) or fake
// nodes it runs with one notice that names ranks and cores; otherwise it is Fault::no_slots with
// the place, the count wanted and present, and the shortest command that works. max_slots always
// holds.
[[nodiscard]] base::Result<model::Plan> place(const model::JobSpec& spec,
                                              const model::Inventory& inventory);

// Hosts of a plan whose agents reported the same identity, each with the host that stays: the first
// in the plan, or this machine. Only hosts that were reached over a network, and this machine,
// count. `facts` by node, at most as many as there are nodes.
[[nodiscard]] std::vector<model::SameHost> same_hosts(
    const model::Plan& plan, std::span<const std::optional<model::HostFacts>> facts);

// Whether the job's mapping or binding looks at each host's topology.
[[nodiscard]] bool needs_topology(const model::JobSpec& spec);

// Whether some host of the inventory must be asked for its topology before place() can work: the
// mapping or binding looks at it, or its slots are its cores.
[[nodiscard]] bool needs_facts(const model::JobSpec& spec, const model::Inventory& inventory);

// Why a rank is where it is, one line: "by slot: slot 2 of 8 on node1 (hosts:3)".
[[nodiscard]] std::string reason(const model::Plan& plan, base::Rank rank);

}  // namespace muster::plan
