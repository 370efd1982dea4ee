// DeepSpeed's launcher: its arguments in, a request out.
#pragma once

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

[[nodiscard]] base::Result<Reading> read_deepspeed(const Call& call);

}  // namespace muster::front
