// Scripts: short texts that say what happens to one run.
//
//   host ssh 2         the next host, its reach (ssh, called, here) and ranks
//   attempt busy 300   of the host before: up, busy, refused, denied or silent, after 300 ms
//   holds              idle hosts are greeted first, and kept
//   within 300 500 1 2 after 300 ms another run begins within the first, with a rank on host 1 and
//                      one on host 2, counted from 0, that run 500 ms
//   refuses            the host before refuses the orders; declines: it starts no spawned ranks
//   link_closes 2000   at 2000 ms; so too cable_pulled, agent_killed, guard_killed, dies
//   busy 2000 9000     its programs wait from 2000 ms on, for 9000 ms (0: for ever)
//   rank 1 runs 500    and: endless, code N, signal N, ignores_term, cannot_spawn, out BYTES,
//                      spawns N MS, joins MS (calls MPI_Init), heals N (after N rounds)
//   user 2 1000        signal 2 at 1000 ms
//   fences 2           ranks that join speak PMIx, and fence so often
//   pmi_fences 2       likewise, PMI
//   gloo               ranks that join tell Horovod's store, and do not call MPI_Init
//   traces             at the time limit ranks tell what they are doing
//   grace 5000         and: lease, timeout, notice, init_timeout, patience, sleeps, output_closes,
//   input
//                      BYTES, max_restarts N
#pragma once

#include <string>

#include "sim/scenario.hpp"

namespace muster::sim {

// A line that cannot be understood is named in `trouble`.
[[nodiscard]] Scenario read_script(const std::string& text, std::string& trouble);

}  // namespace muster::sim
