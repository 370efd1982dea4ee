// The hosts of a Horovod job: -H and hostfiles, where each host must tell its slots.
#pragma once

#include "base/error.hpp"
#include "front/horovod/draft.hpp"

namespace muster::front {

[[nodiscard]] base::Result<void> settle_horovod_hosts(HorovodDraft& draft);

}  // namespace muster::front
