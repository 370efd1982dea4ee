// Stream: which of a task's two outputs.
#pragma once

#include <cstdint>

namespace muster::model {

enum class Stream : std::uint8_t { out = 1, err = 2 };

}  // namespace muster::model
