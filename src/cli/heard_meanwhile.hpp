// heard_meanwhile: what takes long is done in a process of its own, while this one listens.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.hpp"

namespace muster::cli {

// What becomes of the work when a signal asks this program to end.
enum class Unfinished : std::uint8_t { is_ended, goes_on };

// Does `work`, and returns what it returns. Where signals are held back (process::HeldSignals, a
// conductor), one that waits is noticed within some ten milliseconds: the work is ended, whatever
// it has half done, or goes on by itself, and there is Fault::output. process::waiting_signal()
// tells that from other failures. What the work says is said; what it changes in memory is lost.
[[nodiscard]] base::Result<void> heard_meanwhile(const std::function<base::Result<void>()>& work,
                                                 Unfinished unfinished);

}  // namespace muster::cli
