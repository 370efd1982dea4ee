// The YAML file of --config-file.
#pragma once

#include "base/error.hpp"
#include "front/horovod/draft.hpp"

namespace muster::front {

// Takes controller and knobs from the file where the line has not given them; says which key is
// wrong, and where. Does nothing without a file.
[[nodiscard]] base::Result<void> settle_horovod_config(HorovodDraft& draft);

}  // namespace muster::front
