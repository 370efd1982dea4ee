// Whether the limit of open files has room for the ranks of this host, found out before any starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/error.hpp"

namespace muster::host {

// How many of the first ranks, each of which wants so many descriptors, fit below a limit of which
// `used` are taken; some are kept for what comes and goes meanwhile.
[[nodiscard]] std::size_t ranks_that_fit(std::span<const std::size_t> wanted, std::uint64_t used,
                                         std::uint64_t limit);

// The same for this process. Fault::internal when not all fit.
[[nodiscard]] base::Result<void> check_descriptors(std::span<const std::size_t> wanted);

}  // namespace muster::host
