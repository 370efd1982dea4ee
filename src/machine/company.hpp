// Company: who gathers at a listener, as far as it differs: the nodes of one job, or the hosts of a
// head. Also how people call them, and what they can do.
#pragma once

#include <chrono>
#include <string_view>

namespace muster::machine {

struct Company {
  bool called = false;    // agents come; else nodes with ranks of their own
  std::string_view each;  // "node"
  std::string_view head;  // who listens: "node 0", which is one of the nodes, or "the head"
  std::string_view same_count;
  std::string_view other_number;
  std::string_view other_port;
  std::string_view missing;
  std::string_view longer;  // how to wait longer
  // The listener counts its own time; whoever came first must not give up before it.
  std::chrono::seconds slack{10};
};

// torchrun on each node; the first of them listens.
inline constexpr Company kNodesOfAJob = {
    .each = "node",
    .head = "node 0",
    .same_count = "give the same --nnodes on every node",
    .other_number = "give each node a different --node-rank",
    .other_port = "choose another --master-port",
    .missing = "was the job started there, and does a firewall let it through?",
    .longer = "--rdzv-conf join_timeout=SECONDS waits longer"};

// `muster join` on each host, for one `muster lead`.
inline constexpr Company kCalledHosts = {
    .called = true,
    .each = "host",
    .head = "the head",
    .same_count = "muster lead --nodes N and muster join --of N must be the same",
    .other_number = "give each host a different --node",
    .other_port = "choose another --listen",
    .missing = "does `muster join` run there, and does a firewall let it through?",
    .longer = "--start-timeout SECONDS waits longer"};

// Agents that one srun has started: each is admitted as it comes, or reached in another way.
inline constexpr Company kAgentsOfAStep = {.called = true,
                                           .each = "host",
                                           .head = "the head",
                                           .same_count = "",
                                           .other_number = "",
                                           .other_port = "",
                                           .missing = "",
                                           .longer = "",
                                           .slack = std::chrono::seconds(0)};

}  // namespace muster::machine
