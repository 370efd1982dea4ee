// The one place that knows how muster carries output for torchrun.
#pragma once

#include "front/torch/draft.hpp"

namespace muster::front {

// Torchrun's streams, folders and filters become muster's; says what has no effect.
void settle_torch_output(TorchDraft& draft);

}  // namespace muster::front
