// Knobs: what tunes Horovod itself: an option, a key of the config file, a variable of each rank.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "front/horovod/draft.hpp"

namespace muster::front {

enum class KnobKind : std::uint8_t {
  count,      // 0 or more
  mebibytes,  // likewise; told in bytes
  number,     // 0 or more, with decimals
  share,      // 0 to 1
  level,      // TRACE to FATAL
  text,
  flag,      // 1 or 0
  negation,  // a key that says the opposite of its variable
};

struct Knob {
  std::string_view section;  // of the config file
  std::string_view key;
  std::string_view variable;
  KnobKind kind = KnobKind::text;
};

// Sources: horovod/runner/common/util/config_parser.py and horovod/runner/launch.py.
[[nodiscard]] std::span<const Knob> horovod_knobs();

// The variable's value for a typed one; `name` is what the error message calls it.
[[nodiscard]] base::Result<std::string> knob_value(KnobKind kind, std::string_view name,
                                                   std::string_view text);

// The knobs that count: Horovod itself drops the details of what is switched off.
void drop_idle_knobs(HorovodDraft& draft);

}  // namespace muster::front
