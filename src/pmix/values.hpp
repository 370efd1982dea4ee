// The values that PMIx servers exchange with their launcher, under this room's own name.
#pragma once

#include "wire/pmix.hpp"

namespace muster::pmix {

using namespace wire::pmix;

// The code of an Event that no server hears of: agents send their ranks of its source's namespace,
// or all of them if that is empty, the signal whose number is its blob. PMIx itself has no codes
// below PMIX_EXTERNAL_ERR_BASE, -3000.
inline constexpr std::int32_t kSignalRanks = -3101;

}  // namespace muster::pmix
