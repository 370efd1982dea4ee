// Adds up descriptors: those that ranks will want, and those that are open.
#include "host/descriptor_room.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process/shortage.hpp"
#include "process/unique_fd.hpp"

namespace muster::host {
namespace {

// The tasks' ends of the one that is being started, twice where its order waits, a PMIx server's
// start, and files that are read in passing.
constexpr std::uint64_t kDescriptorsKept = 16;

// The lowest that is free: nearly always all below it are used, and none above.
std::uint64_t descriptors_used(std::uint64_t limit) {
  const process::UniqueFd free(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  return free ? static_cast<std::uint64_t>(free.get()) : limit;
}

}  // namespace

std::size_t ranks_that_fit(std::span<const std::size_t> wanted, std::uint64_t used,
                           std::uint64_t limit) {
  used += kDescriptorsKept;
  std::size_t fit = 0;
  for (const std::size_t one : wanted) {
    used += one;
    if (used > limit) break;
    ++fit;
  }
  return fit;
}

base::Result<void> check_descriptors(std::span<const std::size_t> wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return {};
  const std::size_t fit = ranks_that_fit(wanted, descriptors_used(limit.rlim_cur), limit.rlim_cur);
  if (fit == wanted.size()) return {};
  return tl::unexpected(process::too_few_descriptors(wanted.size(), fit, process::own_limits()));
}

}  // namespace muster::host
