// The values that PMIx servers exchange with their launcher, under this room's own name.
#pragma once

#include "wire/pmix.hpp"

namespace muster::pmix {

using namespace wire::pmix;

}  // namespace muster::pmix
