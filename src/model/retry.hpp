// Retry: whether a failed attempt to reach a host is worth another one.
#pragma once

#include <cstdint>

namespace muster::model {

enum class Retry : std::uint8_t {
  no,
  briefly,    // nothing listens there yet: for some seconds
  patiently,  // sshd refuses because too many come at once: for as long as a busy one may need
};

}  // namespace muster::model
