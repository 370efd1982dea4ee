// The tables of keys of steps that decide about others.
#pragma once

#include "job/control.hpp"
#include "job/key.hpp"

namespace muster::job {

[[nodiscard]] Table<Control> if_else_keys();
[[nodiscard]] Table<Control> do_while_keys();
[[nodiscard]] Table<Control> parallel_for_keys();

}  // namespace muster::job
