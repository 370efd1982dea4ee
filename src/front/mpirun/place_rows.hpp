// mpirun's options that say how many ranks, on which hosts and cpus.
#pragma once

#include <array>

#include "front/memory_words.hpp"
#include "front/mpirun/draft.hpp"
#include "front/mpirun/place.hpp"
#include "front/table.hpp"
#include "option/values.hpp"

namespace muster::front::mpirun {

inline constexpr std::string_view kRanks = "Ranks and programs";
inline constexpr std::string_view kHosts = "Hosts";
inline constexpr std::string_view kPlaces = "Mapping, ranking and binding";

inline constexpr std::array<Option<MpirunDraft>, 28> kPlaceRows = {{
    {{"-n -np -c",
      kRanks,
      Takes::number,
      "N",
      "How many ranks of this program (default: all slots).",
      {.scope = Scope::program}},
     set_ranks},
    {{"-N --npernode", kRanks, Takes::number, "N", "N ranks on each host: --map-by ppr:N:node."},
     set_per_node},
    {{"--pernode", kRanks, Takes::nothing, "", "One rank on each host: --map-by ppr:1:node."},
     [](MpirunDraft& d, const Typed&) { return set_one_per_node(d); }},
    {{"--npersocket", kRanks, Takes::number, "N", "N ranks on each socket: --map-by ppr:N:socket."},
     set_per_socket},
    {{"--ppr", kRanks, Takes::text, "N:WHAT", "N ranks on each object: --map-by ppr:N:WHAT."},
     set_ppr},
    {{"--app", kRanks, Takes::file, "FILE",
      "Read the programs from a file, one per line, each with its options."},
     [](MpirunDraft& d, const Typed& t) { return store(read_text(t), d.appfile); }},
    {{"-H --host",
      kHosts,
      Takes::hosts,
      "LIST",
      "Hosts with slots, as in node1:8,node2; without a number 1, with * all cores. Repeatable; "
      "lists are joined. +n0 and +e stand for hosts of the hostfile.",
      {.repeatable = true, .scope = Scope::program}},
     add_hosts},
    {{"--hostfile --machinefile",
      kHosts,
      Takes::file,
      "FILE",
      "Hosts from a file, one per line: node1 slots=8; without slots all cores.",
      {.repeatable = true, .scope = Scope::program}},
     set_hostfile},
    {{"--add-hostfile",
      kHosts,
      Takes::file,
      "FILE",
      "More hosts from a file.",
      {.scope = Scope::program}},
     [](MpirunDraft& d, const Typed& t) {
       return store(read_hostfile_name(t), d.block.added_hostfile);
     }},
    {{"--add-host",
      kHosts,
      Takes::text,
      "LIST",
      "More hosts: as -H.",
      {.repeatable = true, .scope = Scope::program}},
     add_hosts},
    {{"--default-hostfile", kHosts, Takes::file, "FILE", "The hostfile where no other is given."},
     [](MpirunDraft& d, const Typed& t) {
       return store(read_hostfile_name(t), d.default_hostfile);
     }},
    {{"--nolocal", kHosts, Takes::nothing, "", "No rank on this machine."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.request.spec.mapping.no_local = true;
       return {};
     }},
    {{"--map-by",
      kPlaces,
      Takes::choice,
      "WHAT[:HOW]",
      "Assign ranks by slot, node, seq, an object (core, numa, socket, ...), dist:DEVICE (NUMA "
      "nodes from the nearest to it on), ppr:N:WHAT, pe-list=LIST or rankfile:file=PATH. HOW: "
      "PE=N, SPAN, OVERSUBSCRIBE, NOOVERSUBSCRIBE, "
      "NOLOCAL, HWTCPUS.",
      {.choices =
           "slot node seq core socket numa package l1cache l2cache l3cache hwthread dist:auto"}},
     set_map_by},
    {{"--rank-by",
      kPlaces,
      Takes::choice,
      "WHAT[:HOW]",
      "Number ranks by slot, node, fill, span, or an object with SPAN or FILL.",
      {.choices = "slot node fill span core socket numa package"}},
     set_rank_by},
    {{"--bind-to",
      kPlaces,
      Takes::choice,
      "WHAT[:HOW]",
      "Bind each rank to none, hwthread, core, l1cache, l2cache, l3cache, numa, socket, package, "
      "cpu-list or gpu (the cores near its GPU) (default: none). HOW: if-supported, "
      "overload-allowed, ordered. default: bind as "
      "Open MPI does by default: up to two ranks to cores, more to NUMA nodes or "
      "sockets, none when oversubscribed.",
      {.choices = "none core socket numa package l1cache l2cache l3cache hwthread cpu-list gpu"}},
     set_bind_to},
    {mem_bind_text(kPlaces), set_memory},
    {{"-rf --rankfile", kPlaces, Takes::file, "FILE",
      "Host and cpus of each rank from a file: rank 0=node1 slot=0:0-3."},
     [](MpirunDraft& d, const Typed& t) { return store(read_text(t), d.rankfile); }},
    {{"--cpus-per-proc --cpus-per-rank", kPlaces, Takes::number, "N",
      "N cpus for each rank: --map-by :PE=N."},
     set_cpus_per_rank},
    {{"--cpu-set", kPlaces, Takes::text, "LIST", "Use only these cpus: 0,2,4-7."}, set_cpu_set},
    {{"--cpu-list", kPlaces, Takes::text, "LIST", "Bind to these cpus: 0,2,4-7."}, set_cpu_list},
    {{"--use-hwthread-cpus", kPlaces, Takes::nothing, "",
      "Hardware threads count as cpus and slots."},
     [](MpirunDraft& d, const Typed&) -> base::Result<void> {
       d.request.spec.mapping.hwthread_cpus = true;
       return {};
     }},
    {{"--oversubscribe", kPlaces, Takes::nothing, "", "Allow more ranks than slots."},
     [](MpirunDraft& d, const Typed& t) { return set_oversubscribe(d, t, true); }},
    {{"--nooversubscribe", kPlaces, Takes::nothing, "", "Reject more ranks than slots."},
     [](MpirunDraft& d, const Typed& t) { return set_oversubscribe(d, t, false); }},
    {{"--byslot", kPlaces, Takes::nothing, "", "Assign and number ranks by slot."},
     [](MpirunDraft& d, const Typed&) { return set_by(d, "slot"); }},
    {{"--bynode", kPlaces, Takes::nothing, "", "Assign and number ranks by node."},
     [](MpirunDraft& d, const Typed&) { return set_by(d, "node"); }},
    {{"--bycore", kPlaces, Takes::nothing, "", "Assign and number ranks by core."},
     [](MpirunDraft& d, const Typed&) { return set_by(d, "core"); }},
    {{"--bind-to-core", kPlaces, Takes::nothing, "", "As --bind-to core."},
     [](MpirunDraft& d, const Typed& t) {
       return set_bind_to(d, {t.option, "core"});
     }},
    {{"--bind-to-socket", kPlaces, Takes::nothing, "", "As --bind-to socket."},
     [](MpirunDraft& d, const Typed& t) {
       return set_bind_to(d, {t.option, "socket"});
     }},
}};

}  // namespace muster::front::mpirun
