// Refusals of launchers written in Python that come late: argparse takes the words and ends with 2
// where it does not; what the launcher refuses afterwards ends with 1.
#pragma once

#include "base/error.hpp"
#include "front/table.hpp"

namespace muster::front {

inline constexpr base::Fault kRefusedLate = base::Fault::cannot_start;

// For map_error: what is wrong here, the parser has nothing against.
[[nodiscard]] base::Error found_late(base::Error error);

// For argparse's type=int a number out of bounds is one.
[[nodiscard]] base::Error late_if_integer(const Typed& typed, base::Error error);
// The same for type=float.
[[nodiscard]] base::Error late_if_number(const Typed& typed, base::Error error);

}  // namespace muster::front
