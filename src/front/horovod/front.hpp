// horovodrun: its arguments in, a request out.
#pragma once

#include "base/error.hpp"
#include "front/front.hpp"

namespace muster::front {

[[nodiscard]] base::Result<Reading> read_horovodrun(const Call& call);

}  // namespace muster::front
