// What ranks do to join the others of their world, in words. Pure.
#pragma once

#include <string_view>

#include "model/joining.hpp"

namespace muster::view {

struct JoiningWords {
  std::string_view call;   // in which they wait: "MPI_Init"
  std::string_view done;   // a rank that has joined has "called MPI_Init"
  std::string_view limit;  // what ends a job where they wait for long
};

[[nodiscard]] constexpr JoiningWords joining_words(model::Joining joining) {
  if (joining == model::Joining::horovod) {
    return {"hvd.init()", "connected to Horovod's store (hvd.init())",
            "muster horovodrun --init-timeout SECONDS"};
  }
  return {"MPI_Init", "called MPI_Init", "muster run --init-timeout SECONDS"};
}

}  // namespace muster::view
