// nonce: 128 fresh random bits in 32 hex digits.
#pragma once

#include <string>

namespace muster::app {

[[nodiscard]] std::string nonce();

}  // namespace muster::app
