// Figures: Open MPI 4.1 makes a segment of 4 MiB for each rank (btl_vader_segment_size), UCX below
// MPICH takes as much for receive descriptors and some more for its queues; containers get 64 MB.
#include "machine/shared_memory.hpp"

#include <fmt/format.h>

namespace muster::machine {
namespace {

constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kOfMpiRank = std::uint64_t{4400} * 1024;
constexpr std::uint64_t kOfContainer = 64 * kMiB;
constexpr std::string_view kRemedy =
    "a container gets more with --shm-size=1g, in Kubernetes with an emptyDir of medium: Memory";

std::string size_words(const model::SharedMemory& shared) {
  if (shared.read_only) return "is read-only";
  return fmt::format("has {} MiB, {} of them free", shared.size / kMiB, shared.free / kMiB);
}

}  // namespace

// One rank alone shares with nobody.
bool too_small_for_mpi(const model::SharedMemory& shared, std::size_t ranks) {
  return ranks > 1 && (shared.read_only || shared.free < ranks * kOfMpiRank);
}

std::string too_small_for_mpi_words(const std::string& host, const model::SharedMemory& shared,
                                    std::size_t ranks) {
  return fmt::format("warning: /dev/shm of {} {}: its {} MPI ranks need about {} MiB there; {}",
                     host, size_words(shared), ranks, ranks * kOfMpiRank / kMiB, kRemedy);
}

bool too_small_for_loaders(const model::SharedMemory& shared) {
  return shared.read_only || shared.size <= kOfContainer;
}

std::string too_small_for_loaders_words(const std::string& host, std::size_t more_hosts,
                                        const model::SharedMemory& shared) {
  const std::string more = more_hosts == 0 ? ""
                                           : fmt::format(" (and {} more host{})", more_hosts,
                                                         more_hosts == 1 ? "" : "s");
  return fmt::format(
      "warning: /dev/shm of {}{} {}: little for data loaders and NCCL, which end with a bus error "
      "when it is full; {}",
      host, more, size_words(shared), kRemedy);
}

}  // namespace muster::machine
