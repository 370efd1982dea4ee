// /dev/shm of a host: a warning where ranks will probably need more.
#pragma once

#include <cstdint>
#include <string>

#include "model/circumstances.hpp"

namespace muster::machine {

// For so many MPI ranks of one host, which share memory there.
[[nodiscard]] bool too_small_for_mpi(const model::SharedMemory& shared, std::size_t ranks);
[[nodiscard]] std::string too_small_for_mpi_words(const std::string& host,
                                                  const model::SharedMemory& shared,
                                                  std::size_t ranks);

// For data loaders and NCCL, where it is no larger than a container's default.
[[nodiscard]] bool too_small_for_loaders(const model::SharedMemory& shared);
// `more_hosts` have as little.
[[nodiscard]] std::string too_small_for_loaders_words(const std::string& host,
                                                      std::size_t more_hosts,
                                                      const model::SharedMemory& shared);

}  // namespace muster::machine
