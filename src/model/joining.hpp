// Joining: what a rank does to join the others of its job, by which muster knows who has.
#pragma once

#include <cstdint>

#include "model/job_spec.hpp"

namespace muster::model {

enum class Joining : std::uint8_t {
  mpi,          // MPI_Init, of which the servers of the wire-up hear
  horovod,      // hvd.init(), which tells its address to the store that the head serves
  master_port,  // torch's store in rank 0, or JAX's: it listens there, or is connected to it
  tensorflow,   // it listens at its own port of TF_CONFIG
  mindspore,    // it listens at, or is connected to, MS_SCHED_PORT
};

// Of all that it looks at, agents are told.
[[nodiscard]] inline Joining joining_of(const JobSpec& spec) {
  if (spec.roles == Roles::tensorflow) return Joining::tensorflow;
  if (spec.roles == Roles::mindspore) return Joining::mindspore;
  if (spec.gloo) return Joining::horovod;
  const bool without_mpi = spec.torch || spec.deepspeed || spec.wireup == Wireup::none;
  return without_mpi ? Joining::master_port : Joining::mpi;
}

// The frameworks tell nobody: agents look at the ranks' sockets from time to time. So a rank that
// has joined and left between two looks is not seen, and who has ended unseen may have been there.
[[nodiscard]] inline bool is_seen_by_sockets(Joining joining) {
  return joining != Joining::mpi && joining != Joining::horovod;
}

}  // namespace muster::model
