// muster lead and muster join: their arguments in, a request out.
#pragma once

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

[[nodiscard]] base::Result<Reading> read_lead(const Call& call);
[[nodiscard]] base::Result<Reading> read_join(const Call& call);

}  // namespace muster::front
