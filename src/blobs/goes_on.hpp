// GoesOn: asked while contents of any size are read, hashed or written.
#pragma once

#include <functional>

#include "base/error.hpp"

namespace muster::blobs {

// Asked before each piece of a file, and each file; no: what is done is given up, half done, with
// Fault::lost. Empty: nobody ever wants that.
using GoesOn = std::function<bool()>;

[[nodiscard]] inline bool is_given_up(const GoesOn& goes_on) { return goes_on && !goes_on(); }

[[nodiscard]] inline tl::unexpected<base::Error> given_up() {
  return base::fail(base::Fault::lost, "", "interrupted");
}

}  // namespace muster::blobs
