// One phrase for each way.
#include "view/joining_words.hpp"

#include "base/check.hpp"

namespace muster::view {

std::string_view joined_words(model::Joining joining) {
  switch (joining) {
    case model::Joining::mpi:
      return "called MPI_Init";
    case model::Joining::horovod:
      return "called hvd.init()";
    case model::Joining::master_port:
      return "connected to rank 0 (MASTER_PORT)";
    case model::Joining::tensorflow:
      return "started its server (TF_CONFIG)";
    case model::Joining::mindspore:
      return "connected to the scheduler (MS_SCHED_PORT)";
  }
  CHECK(false);
}

}  // namespace muster::view
