// Looks for something beside a program that is busy, and interrupts it.
#pragma once

#include <functional>

#include "base/error.hpp"
#include "base/time.hpp"

namespace muster::process {

// A child calls `sees` again and again; once that is true, SIGINT comes to this process, as from
// Ctrl-C, even if it is suspended. The child ends with this process. Call it while that has one
// thread.
[[nodiscard]] base::Result<void> interrupt_when(const std::function<bool()>& sees,
                                                base::Duration pause);

}  // namespace muster::process
