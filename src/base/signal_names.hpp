// Signals by name and by number.
#pragma once

#include <optional>
#include <string_view>

namespace muster::base {

// "SIGSEGV"; empty for a number without a name.
[[nodiscard]] std::string_view signal_name(int number);

// Of "SIGUSR1", "usr1" or "10"; nothing for what is none.
[[nodiscard]] std::optional<int> signal_number(std::string_view text);

}  // namespace muster::base
