// The files of a command line: remembered as they are read, or those that its record holds. The
// functions refer to the command, which must outlive them.
#pragma once

#include "front/call.hpp"
#include "model/record.hpp"

namespace muster::cli {

// As `read`, and what is read is remembered, so that the same can be asked for again.
[[nodiscard]] front::ReadFile remembering(front::ReadFile read, model::TypedCommand& remembered);

// Those of then, not of now.
[[nodiscard]] front::ReadFile read_remembered(const model::TypedCommand& remembered);
[[nodiscard]] front::HasFile has_remembered(const model::TypedCommand& remembered);
[[nodiscard]] front::ListFiles lists_remembered(const model::TypedCommand& remembered);

// What the first does not give, the second is asked for.
[[nodiscard]] front::ReadFile one_or_other(front::ReadFile first, front::ReadFile second);

}  // namespace muster::cli
