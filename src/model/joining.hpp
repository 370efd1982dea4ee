// Joining: where the ranks of a world wait until all of them have come.
#pragma once

#include <cstdint>

namespace muster::model {

enum class Joining : std::uint8_t {
  mpi,      // in MPI_Init, of which the servers of the wire-up hear
  horovod,  // in hvd.init(), once it has put its addresses into the store that the head serves
};

}  // namespace muster::model
