// Names and meanings of signals, for the reports of this room.
#pragma once

#include <string>
#include <string_view>

namespace muster::view {

struct SignalFacts {
  std::string_view name;     // "SIGSEGV"; empty for a number without a name
  std::string_view meaning;  // "invalid memory reference"; empty when the name says it all
};
[[nodiscard]] SignalFacts signal_facts(int number);

// "signal 11 (SIGSEGV)", or "signal 34" for one without a name.
[[nodiscard]] std::string signal_label(int number);

}  // namespace muster::view
